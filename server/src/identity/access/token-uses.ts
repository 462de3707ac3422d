// When sessions and API tokens were last used, written down in the background: each at most once a minute, so that a
// request costs no statement for it.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { saveTokenUses, type TokenUse } from './access.queries.ts';

const PER_TOKEN_MS = 60_000;
const COLLECT_MS = 1000;
const MAX_REMEMBERED = 10_000;

export interface TokenUses extends Part {
  seen(used: Omit<TokenUse, 'at'>): void;
}

export function tokenUses({ db, clock, log }: { db: Db; clock: Clock; log: Log }): TokenUses {
  const written = new Map<string, number>();
  const waiting = new Map<string, TokenUse>();
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    timer = undefined;
    if (waiting.size === 0) return;
    const uses = [...waiting.values()];
    waiting.clear();
    await saveTokenUses(db, uses).catch((err: unknown) =>
      log.warn({ event: 'access.token_uses_lost', count: uses.length, err }),
    );
  }

  return {
    name: 'token-uses',
    seen({ kind, id }) {
      const [about, now] = [`${kind} ${id}`, clock.now()];
      if (now - (written.get(about) ?? Number.NEGATIVE_INFINITY) < PER_TOKEN_MS) return;
      if (written.size >= MAX_REMEMBERED) written.clear();
      written.set(about, now);
      waiting.set(about, { kind, id, at: now });
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
