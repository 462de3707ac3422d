// SQL of users at providers, of what works once, and of sessions that a provider can end.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface Identity {
  issuer: string;
  subject: string;
}

/** The user stays as it is until the transaction ends. */
export const lockIdentityUser = ({ issuer, subject }: Identity): Sql => sql`
  /* oidc.lock_user */
  select u.id, u.username, u.password_hash, u.is_superuser, u.is_service_account, u.enabled
  from matriarch.user_identities i
  join matriarch.users u on u.id = i.user_id
  where i.issuer = ${issuer}
    and i.subject = ${subject}
  for no key update of u`;

/** No row is added where it belongs to a user already. */
export const insertIdentity = ({ issuer, subject }: Identity, userId: number, now: string): Sql => sql`
  /* oidc.insert_identity */
  insert into matriarch.user_identities (issuer, subject, user_id, created_at)
  values (${issuer}, ${subject}, ${userId}, ${now})
  on conflict do nothing`;

export const deleteIdentity = ({ issuer, subject }: Identity, userId: number): Sql => sql`
  /* oidc.delete_identity */
  delete from matriarch.user_identities
  where issuer = ${issuer}
    and subject = ${subject}
    and user_id = ${userId}`;

export const noteSignIn = ({ issuer, subject }: Identity, now: string): Sql => sql`
  /* oidc.note_sign_in */
  update matriarch.user_identities
  set signed_in_at = ${now}
  where issuer = ${issuer}
    and subject = ${subject}`;

export interface MappedGroup {
  id: number;
  name: string;
  is_member: boolean;
}

export const findMappedGroups = (names: readonly string[], userId: number): Sql => sql`
  /* oidc.mapped_groups */
  select
    g.id,
    g.name,
    exists (
      select
      from matriarch.group_users gu
      where gu.group_id = g.id
        and gu.user_id = ${userId}
    ) as is_member
  from matriarch.groups g
  where lower(g.name) in (select lower(name) from unnest(${names}::text[]) name)
  order by g.id`;

export interface ProviderSession extends Identity {
  provider_session: string | null;
  sealed_id_token: Buffer | null;
}

export const bindSession = (sessionId: number, session: ProviderSession): Sql => sql`
  /* oidc.bind_session */
  update matriarch.sessions
  set issuer = ${session.issuer},
    subject = ${session.subject},
    provider_session = ${session.provider_session},
    sealed_id_token = ${session.sealed_id_token}
  where id = ${sessionId}`;

/** Of one session of the provider, where it is named; else all that this person opened by it. */
export const deleteProviderSessions = (ended: {
  issuer: string;
  subject: string | null;
  provider_session: string | null;
}): Sql => sql`
  /* oidc.end_sessions */
  delete from matriarch.sessions s
  using matriarch.users u
  where u.id = s.user_id
    and s.issuer = ${ended.issuer}
    and (${ended.subject}::text is null or s.subject = ${ended.subject}::text)
    and (${ended.provider_session}::text is null or s.provider_session = ${ended.provider_session}::text)
  returning u.id, u.username, s.id as session_id, s.issuer, s.sealed_id_token`;
