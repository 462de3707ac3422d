// What can be read by its address: both are of the connection that the caller has selected. Guards: everything is from what was
// stored; nothing is asked of the monitored server.

import { getConnection, getConnectionContext, getCurrentConnection } from '../../estate/estate.ts';
import { demandConnection } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Resource, ToolCtx } from './types.ts';

async function selected(ctx: ToolCtx) {
  try {
    return await getCurrentConnection(ctx);
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Of the text that version() answers: "PostgreSQL 16.4 on x86_64-pc-linux-gnu, compiled by gcc …, 64-bit". */
const VERSION = /^PostgreSQL (\S+).*? on ([^-,\s]+)-(\S+?), compiled by (.*), (\d+-bit)/;
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/linux/, 'Linux'],
  [/darwin|apple/, 'macOS'],
  [/freebsd/, 'FreeBSD'],
  [/mingw|windows|msvc/, 'Windows'],
];

function platformOf(full: string | undefined) {
  const found = VERSION.exec(full ?? '');
  const system = found?.[3];
  return {
    postgresql_version: found?.[1] ?? null,
    operating_system: NAMES.find(([pattern]) => pattern.test(system ?? ''))?.[1] ?? system ?? null,
    architecture: found?.[2] ?? null,
    compiler: found?.[4] ?? null,
    bit_version: found?.[5] ?? null,
  };
}

async function systemInfo(ctx: ToolCtx) {
  const current = await selected(ctx);
  if (!current)
    throw new Fault(
      'not_found',
      'No connection is selected, so there is no server to tell of. Select one with PUT /api/v1/connections/current, or name one to a tool.',
    );
  const { connection_id } = current;
  const [connection, context] = await Promise.all([
    getConnection(ctx, connection_id),
    getConnectionContext(ctx, connection_id),
  ]);
  const { postgresql } = context;
  const { postgresql_version, ...platform } = platformOf(postgresql?.version);
  return {
    postgresql_version,
    version_number: postgresql?.version_num ?? null,
    full_version: postgresql?.version ?? null,
    ...platform,
    database: current.database_name ?? connection.database_name,
    user: connection.username,
    host: current.host,
    port: current.port,
  };
}

async function connectionInfo(ctx: ToolCtx) {
  const current = await selected(ctx);
  if (!current) return { connected: false };
  const { connection_id, name, host, port } = current;
  const [connection, access] = await Promise.all([
    getConnection(ctx, connection_id),
    demandConnection(ctx, { connection_id, need: 'read' }),
  ]);
  return {
    connected: true,
    connection_id,
    name,
    host,
    port,
    database_name: current.database_name ?? connection.database_name,
    access_level: access.level === 2 ? 'read_write' : 'read',
  };
}

export const resources: readonly Resource[] = [
  {
    uri: 'pg://system_info',
    privilege: { id: 23, description: 'Version and platform of the current connection' },
    name: 'system_info',
    description: 'Version and platform of the server of the current connection, as they were last collected.',
    read: systemInfo,
  },
  {
    uri: 'pg://connection_info',
    privilege: { id: 24, description: 'Which connection is the current one' },
    name: 'connection_info',
    description: 'Which connection is the current one, and what you may do on it.',
    read: connectionInfo,
  },
];
