// What a blackout or schedule is for, as requests and replies name it: the scope, and exactly the id that it names.

import { demandAllOf, demandWholeScope } from '../../estate/estate.ts';
import { type Ctx, demandConnection, demandEstate } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { type BlackoutScope, holdTarget, type Target } from './targets.queries.ts';

const ID_OF = { server: 'connection_id', cluster: 'cluster_id', group: 'group_id' } as const;
const IDS = Object.values(ID_OF);

export interface TargetInput {
  scope: BlackoutScope;
  group_id?: number | undefined;
  cluster_id?: number | undefined;
  connection_id?: number | undefined;
  database_name?: string | undefined;
}

const refuse = (sentence: string) => new Fault('bad_request', sentence);

/** 400 unless it names exactly what its scope needs. */
export function targetOf(input: TargetInput): Target {
  const { scope } = input;
  const wanted = scope === 'estate' ? undefined : ID_OF[scope];
  const needless = IDS.find((name) => name !== wanted && input[name] !== undefined);
  if (needless)
    throw refuse(
      wanted
        ? `With scope ${scope} only ${wanted} is given, not ${needless}.`
        : `Scope estate is everything: ${needless} must be absent.`,
    );
  const scope_id = wanted === undefined ? undefined : input[wanted];
  if (wanted !== undefined && scope_id === undefined)
    throw refuse(`With scope ${scope}, ${wanted} must be given.`);
  // Empty text means that it is not set.
  const database_name = input.database_name || null;
  if (database_name !== null && scope !== 'server')
    throw refuse('database_name can only be given with scope server.');
  return { scope, scope_id: scope_id ?? null, database_name };
}

/** 404 or 403 unless the caller can see it, and all servers that it holds for. */
export async function demandTarget(ctx: Ctx, { scope, scope_id }: Target): Promise<void> {
  if (scope === 'estate' || scope_id === null) await demandEstate(ctx);
  else if (scope === 'server') await demandConnection(ctx, { connection_id: scope_id, need: 'read' });
  else await demandWholeScope(ctx, { scope, scope_id });
}

/** Of one that the caller can see and is about to change: 403 unless they see all servers that it holds for. */
export async function demandChangeable(ctx: Ctx, { scope, scope_id }: Target): Promise<void> {
  if (scope === 'estate' || scope_id === null) await demandEstate(ctx);
  else await demandAllOf(ctx, { scope, scope_id });
}

/** Within a transaction: it stays until its end; 404 when it went meanwhile. */
export async function demandHeld(ctx: Ctx, target: Target): Promise<void> {
  if (!(await holdTarget(ctx.db, target)))
    throw new Fault(
      'not_found',
      `There is no such ${target.scope === 'server' ? 'connection' : target.scope}.`,
    );
}

/** As replies name it. */
export function namedTarget({
  scope,
  scope_id,
  database_name,
  target_name,
}: Target & { target_name: string | null }) {
  const id = scope_id ?? undefined;
  return {
    scope,
    ...(id !== undefined && scope === 'group' && { group_id: id }),
    ...(id !== undefined && scope === 'cluster' && { cluster_id: id }),
    ...(id !== undefined && scope === 'server' && { connection_id: id }),
    ...(database_name !== null && { database_name }),
    ...(target_name !== null && { target_name }),
  };
}

/** As the audit log names it: scope_id says of what it tells, and so who may read it. */
export const auditTarget = ({ scope, scope_id, database_name }: Target) => ({
  scope,
  ...(scope_id !== null && { scope_id }),
  ...(database_name !== null && { database_name }),
});
