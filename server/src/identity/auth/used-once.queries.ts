// SQL of answers that count once.
import { type Sql, sql } from '../../kernel/sql.ts';

/** No row is written where it was used before. */
export const useOnce = (hash: Buffer, expiresAt: string): Sql => sql`
  /* auth.use_once */
  insert into matriarch.used_once (hash, expires_at)
  values (${hash}, ${expiresAt})
  on conflict do nothing`;

export const cleanUsed = (now: string): Sql => sql`
  /* auth.clean_used */
  delete from matriarch.used_once
  where hash in (
    select hash
    from matriarch.used_once
    where expires_at <= ${now}
    for update skip locked
  )`;
