// server/schema.sql, from a datastore that is made, migrated, read and thrown away.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbedded } from '../../datastore/embedded.ts';
import { migrate } from '../../datastore/migrate.ts';
import { schemaDump } from '../../datastore/schema-dump.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Artifact } from './artifact.ts';

async function dump(url: Secret): Promise<string> {
  await migrate(url, silentLog);
  const db = new Database({ url, log: silentLog, applicationName: 'matriarch gen', max: 2 });
  return schemaDump(db).finally(() => db.stop());
}

export async function schema(): Promise<Artifact> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'matriarch-schema-'));
  try {
    const embedded = await startEmbedded({ dataDir, log: silentLog, progress: () => undefined });
    const text = await dump(embedded.superuserUrl).finally(() => embedded.stop());
    return { path: 'server/schema.sql', text };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
