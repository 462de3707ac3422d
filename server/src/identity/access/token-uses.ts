// When API tokens were last used, written down in the background: each token at most once a minute, so that a
// request costs no statement for it.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { saveTokenUses } from './access.queries.ts';

const PER_TOKEN_MS = 60_000;
const COLLECT_MS = 1000;
const MAX_REMEMBERED = 10_000;

export interface TokenUses extends Part {
  seen(tokenId: number): void;
}

export function tokenUses({ db, clock, log }: { db: Db; clock: Clock; log: Log }): TokenUses {
  const written = new Map<number, number>();
  const waiting = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    timer = undefined;
    if (waiting.size === 0) return;
    const uses = [...waiting].map(([id, at]) => ({ id, at }));
    waiting.clear();
    await saveTokenUses(db, uses).catch((err: unknown) =>
      log.warn({ event: 'access.token_uses_lost', count: uses.length, err }),
    );
  }

  return {
    name: 'token-uses',
    seen(tokenId) {
      const now = clock.now();
      if (now - (written.get(tokenId) ?? Number.NEGATIVE_INFINITY) < PER_TOKEN_MS) return;
      if (written.size >= MAX_REMEMBERED) written.clear();
      written.set(tokenId, now);
      waiting.set(tokenId, now);
      timer ??= setTimeout(() => {
        saving = save();
      }, COLLECT_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      await saving;
      await save();
    },
  };
}
