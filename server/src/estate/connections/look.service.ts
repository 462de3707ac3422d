// A look at stored connections as they answer at this moment, for whoever has to know now and not what was seen last.
// Guards: a few at a time, each no longer than a connection test, and the use of each password is on record.

import type { Ctx, PasswordSources, Vault } from '../../identity/identity.ts';
import type { Lookup } from '../../monitored/lookup.ts';
import { testTarget } from './connection-test.ts';
import { TEST_STEPS } from './connections.schemas.ts';
import { secretUses } from './secret-uses.service.ts';
import { loadTargets, type Target } from './targets.service.ts';
import type { TlsFolders } from './tls-folders.ts';

export interface Look {
  /** Null: it answers. Otherwise why not, in our own words. */
  problem: string | null;
  server_version: string | null;
}

export interface LookDeps {
  vault: Vault;
  allow_private_networks: boolean;
  lookup?: Lookup;
  tls_folders?: TlsFolders;
  password_sources?: PasswordSources;
}

const AT_ONCE = 8;

async function lookAtOne({ signal }: Ctx, { settings, problem }: Target, lookup?: Lookup): Promise<Look> {
  if (!settings) return { problem: problem ?? 'Its password cannot be used.', server_version: null };
  const report = await testTarget(settings, TEST_STEPS, { signal, lookup });
  const failed = report.steps.find(({ status }) => status === 'failed');
  return { problem: failed?.message ?? null, server_version: report.server_version };
}

/** By id; a connection that is gone is missing. */
export async function lookAt(ctx: Ctx, deps: LookDeps, ids: readonly number[]): Promise<Map<number, Look>> {
  const { vault, lookup, ...rules } = deps;
  const targets = await loadTargets(ctx.db, vault, { ids, ...rules });
  await secretUses(ctx, 'looking at the server (doctor)').note(targets);
  const looks = new Map<number, Look>();
  const waiting = [...targets];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      looks.set(next.connection_id, await lookAtOne(ctx, next, lookup));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return looks;
}
