// The API for tests of users, groups and tokens: cheap password hashes, the log as it was written, and people who hold
// exactly what a test says.
import { authRoutes } from '../../identity/auth/auth.routes.ts';
import { createAuth } from '../../identity/auth/auth.service.ts';
import { createPasswords } from '../../identity/auth/passwords.ts';
import { rbacRoutes } from '../../identity/rbac/rbac.routes.ts';
import type { Db } from '../../kernel/db.ts';
import { createLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { type Answer, startTestApi, type TestApi, type TestApiOptions } from '../api.ts';
import { sharedPart, type TestRoom, vaultOf } from '../rooms/parts.ts';
import { type Actor, makeUser } from './actors.ts';
import { CHEAP_COST, usualLimits } from './auth.ts';
import { type GroupOptions, makeGroup } from './groups.ts';

export interface RbacApi extends TestApi {
  /** Calls as the superuser, or as whoever a token is given for. */
  as(token: string | undefined, request: string, body?: object): Promise<Answer>;
  /** As the superuser; fails on anything but 2xx, and answers the body. */
  ok(request: string, body?: object): Promise<Answer['body']>;
  /** Events that were logged, each with everything it says. */
  events(name: string): Record<string, unknown>[];
}

/** Serves users, groups, tokens and signing in, and further rooms where they are named. */
export async function startRbacApi(
  options: Partial<TestApiOptions> & { max_token_ms?: number } = {},
): Promise<RbacApi> {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const passwords = createPasswords({ cost: CHEAP_COST });
  const { max_token_ms } = options;
  const authOf = sharedPart(async (parts) =>
    createAuth({
      limits: usualLimits,
      ai_enabled: () => false,
      max_iterations: 50,
      passwords,
      max_token_ms,
      vault: await vaultOf(parts),
    }),
  );
  const rooms: TestRoom[] = [
    async (parts) => authRoutes(await authOf(parts)),
    async (parts) => rbacRoutes(await authOf(parts)),
    ...(options.rooms ?? []),
  ];
  const test = await startTestApi({ ...options, log, rooms });
  const as: RbacApi['as'] = (token, request, body) =>
    test.call(request, { token: token ?? test.actors.superuser.session, ...(body && { body }) });
  return {
    ...test,
    as,
    async ok(request, body) {
      const answer = await as(undefined, request, body);
      if (answer.status >= 300) throw new Error(`${request}: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    events: (name) =>
      lines.flatMap((line) => {
        const event: Record<string, unknown> = JSON.parse(line);
        return event.event === name ? [event] : [];
      }),
  };
}

/** A new person who is in a group of their own with these grants. */
export async function makeHolder(db: Db, grants: Omit<GroupOptions, 'users'> = {}): Promise<Actor> {
  const person = await makeUser(db);
  await makeGroup(db, { ...grants, users: [person.user_id] });
  return person;
}

export interface AuditRow {
  action: string;
  actor_name: string;
  target_kind: string;
  target_id: string;
  target_name: string;
  request_id: string;
  details: Record<string, unknown>;
}

/** What the audit log has about one target, oldest first. */
export function auditOf(db: Db, kind: string, id: number): Promise<AuditRow[]> {
  return db.rows<AuditRow>(sql`/* test.audit */
    select action, actor_name, target_kind, target_id, target_name, request_id, details
    from matriarch.audit_events
    where target_kind = ${kind} and target_id = ${String(id)}
    order by entry`);
}
