// SQL of the own sessions and sign-ins. What a session was opened with, and from where, is in the audit log.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface OwnSession {
  id: number;
  created_at: string;
  expires_at: string;
  last_used_at: string;
  is_current: boolean;
  opened_with: string | null;
  address: string | null;
}

export const selectOwnSessions = (
  owner: { user_id: number; session_id: number },
  { now, used_since }: { now: string; used_since: string | null },
): Sql => sql`
  /* auth.own_sessions */
  select
    s.id,
    s.created_at,
    s.expires_at,
    coalesce(s.last_used_at, s.created_at) as last_used_at,
    s.id = ${owner.session_id} as is_current,
    opening.details ->> 'by' as opened_with,
    opening.address
  from matriarch.sessions s
  left join lateral (
    select e.details, e.address
    from matriarch.audit_events e
    where e.target_kind = 'user'
      and e.target_id = ${String(owner.user_id)}
      and e.action = 'session.create'
      and e.outcome = 'ok'
      and e.via = 'session'
      and e.via_id = s.id
    order by e.id desc
    limit 1
  ) opening on true
  where s.user_id = ${owner.user_id}
    and s.expires_at > ${now}
    and (${used_since}::timestamptz is null or coalesce(s.last_used_at, s.created_at) > ${used_since}::timestamptz)
  order by s.created_at desc, s.id desc`;

export interface SignInAttempt {
  at: string;
  outcome: 'ok' | 'refused';
  opened_with: string | null;
  address: string | null;
  reason: string | null;
  occurrences: number;
}

export const selectSignIns = (userId: number, limit: number): Sql => sql`
  /* auth.own_sign_ins */
  select
    e.at,
    case when e.action = 'session.ask_code' then 'code_asked' else e.outcome end as outcome,
    e.details ->> 'by' as opened_with,
    e.address,
    e.details ->> 'reason' as reason,
    e.occurrences
  from matriarch.audit_events e
  where e.target_kind = 'user'
    and e.target_id = ${String(userId)}
    and e.action in ('session.create', 'session.ask_code')
    and e.outcome in ('ok', 'refused')
    and e.id is not null
  order by e.id desc
  limit ${limit}`;

export const deleteOwnSession = (userId: number, sessionId: number): Sql => sql`
  /* auth.delete_own_session */
  delete from matriarch.sessions
  where id = ${sessionId}
    and user_id = ${userId}`;
