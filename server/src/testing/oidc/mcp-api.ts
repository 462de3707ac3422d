// The whole API with providers whose access tokens open /mcp/v1.
import { settings } from '../../cli/settings.ts';
import { loadConfig } from '../../kernel/config.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { startWholeApi, type WholeApi, type WholeApiOptions } from '../rooms/whole.ts';

export interface McpApiOptions extends WholeApiOptions {
  /** Where clients reach it. */
  base_url: string;
  /** As of the command line. */
  flags: readonly string[];
  /** Of the first provider. */
  secret?: string;
}

export function startMcpApi({ base_url, flags, secret, ...options }: McpApiOptions): Promise<WholeApi> {
  const env = secret === undefined ? {} : { MATRIARCH_AUTH_OIDC_CLIENT_SECRET: secret };
  const { auth } = loadConfig({ settings, argv: ['--api-public-url', base_url, ...flags], env });
  return startWholeApi({ ...options, sign_on: { settings: auth, base_url } });
}

/** Makes an account at a provider that of a user. */
export async function giveIdentity(
  db: Db,
  userId: number,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  await db.run(sql`/* test.identity */
    insert into matriarch.user_identities (issuer, subject, user_id, created_at)
    values (${issuer}, ${subject}, ${userId}, now())`);
}
