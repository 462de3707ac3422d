// SQL of sessions and one-time links. Tokens are only ever compared as SHA-256.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface NewSession {
  token_hash: Buffer;
  user_id: number;
  created_at: string;
  expires_at: string;
}

export const insertSession = (session: NewSession): Sql => sql`
  /* auth.insert_session */
  insert into matriarch.sessions (token_hash, user_id, created_at, expires_at)
  values (${session.token_hash}, ${session.user_id}, ${session.created_at}, ${session.expires_at})
  returning id`;

/** Ends the user's expired sessions, and the oldest ones beyond `keep`. */
export const pruneSessions = (userId: number, keep: number, now: string): Sql => sql`
  /* auth.prune_sessions */
  delete from matriarch.sessions
  where user_id = ${userId}
    and (
      expires_at <= ${now}
      or id not in (
        select id
        from matriarch.sessions
        where user_id = ${userId}
          and expires_at > ${now}
        order by created_at desc, id desc
        limit ${keep}
      )
    )`;

export interface EndedSession {
  /** Of its owner. */
  id: number;
  username: string;
  session_id: number;
  /** Of the provider that it was opened with. */
  issuer: string | null;
  sealed_id_token: Buffer | null;
}

export const deleteSessionByToken = (tokenHash: Buffer): Sql => sql`
  /* auth.end_session */
  delete from matriarch.sessions s
  using matriarch.users u
  where s.token_hash = ${tokenHash}
    and u.id = s.user_id
  returning u.id, u.username, s.id as session_id, s.issuer, s.sealed_id_token`;

/** All sessions of the user but one; with null all of them. */
export const deleteOtherSessions = (userId: number, keptId: number | null): Sql => sql`
  /* auth.end_sessions */
  delete from matriarch.sessions
  where user_id = ${userId}
    and id is distinct from ${keptId}::integer`;

export const findSessionIssuer = (sessionId: number): Sql => sql`
  /* auth.session_issuer */
  select issuer
  from matriarch.sessions
  where id = ${sessionId}`;

export const cleanSessions = (now: string): Sql => sql`
  /* auth.clean_sessions */
  delete from matriarch.sessions
  where id in (
    select id
    from matriarch.sessions
    where expires_at <= ${now}
    for update skip locked
  )`;

export const insertLink = (link: NewSession): Sql => sql`
  /* auth.insert_link */
  insert into matriarch.one_time_links (token_hash, user_id, created_at, expires_at)
  values (${link.token_hash}, ${link.user_id}, ${link.created_at}, ${link.expires_at})`;

export const findLinkOwner = (tokenHash: Buffer): Sql => sql`
  /* auth.link_owner */
  select user_id
  from matriarch.one_time_links
  where token_hash = ${tokenHash}`;

/** Uses a link up, and says whose it is. Of many who try at once one gets the row. */
export const consumeLink = (tokenHash: Buffer, now: string): Sql => sql`
  /* auth.consume_link */
  update matriarch.one_time_links
  set used_at = ${now}
  where token_hash = ${tokenHash}
    and used_at is null
    and expires_at > ${now}
  returning user_id`;

export const deleteLinksOf = (userId: number): Sql => sql`
  /* auth.end_links */
  delete from matriarch.one_time_links
  where user_id = ${userId}`;

export const cleanLinks = (now: string): Sql => sql`
  /* auth.clean_links */
  delete from matriarch.one_time_links
  where token_hash in (
    select token_hash
    from matriarch.one_time_links
    where expires_at <= ${now}
    for update skip locked
  )`;
