// The context of a connection, from stored samples. Guards: what is not known is left out. The caller has checked the
// access to the connection.

import type { Ctx } from '../../identity/identity.ts';
import { isRecord } from '../../kernel/read-json.ts';
import type { Static } from '../../kernel/schema.ts';
import { settingText } from '../../kernel/setting-text.ts';
import type { ConnectionContext } from './context.contract.ts';
import { type ContextRow, readContext } from './context.queries.ts';

type Context = Static<typeof ConnectionContext>;
type System = NonNullable<Context['system']>;

/** `{ name: value }`, or nothing where there is no value. */
const member = <N extends string, V>(name: N, value: V | null | undefined) => {
  const made: Partial<Record<N, V>> = {};
  if (value !== null && value !== undefined) made[name] = value;
  return made;
};

const unlessEmpty = <T extends object>(section: T): T | undefined =>
  Object.keys(section).length === 0 ? undefined : section;

function settingsOf(rows: NonNullable<ContextRow['settings']>): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ name, setting, unit }) => (setting === null ? [] : [[name, settingText(setting, unit)]])),
  );
}

function postgresqlOf({ server, extensions, settings }: ContextRow) {
  return unlessEmpty({
    ...member('version', server?.version),
    ...member('version_num', server?.server_version_num),
    ...member('max_connections', server?.max_connections),
    ...member('data_directory', server?.data_directory),
    ...member('installed_extensions', extensions),
    ...member('settings', settings && settingsOf(settings)),
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
function disksOf(value: unknown): System['disks'] {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isRecord).flatMap((disk) => {
    const mount_point = textOf(disk.mount_point);
    if (mount_point === undefined) return [];
    return [
      {
        mount_point,
        ...member('filesystem_type', textOf(disk.filesystem_type)),
        ...member('total_bytes', numberOf(disk.total_bytes)),
        ...member('used_bytes', numberOf(disk.used_bytes)),
        ...member('free_bytes', numberOf(disk.free_bytes)),
      },
    ];
  });
}

function systemOf({ host }: ContextRow): System | undefined {
  const facts = new Map(
    (host ?? []).flatMap(({ kind, field, value }) =>
      kind === 'value' && field !== undefined ? [[field, value] as const] : [],
    ),
  );
  const [texts, numbers] = [
    (field: string) => textOf(facts.get(field)),
    (field: string) => numberOf(facts.get(field)),
  ];
  const cpu = unlessEmpty({
    ...member('model', texts('cpu_model')),
    ...member('cores', numbers('cpu_cores')),
    ...member('logical_processors', numbers('cpu_logical')),
  });
  const memory = unlessEmpty({
    ...member('total_bytes', numbers('memory_total_bytes')),
    ...member('free_bytes', numbers('memory_free_bytes')),
  });
  return unlessEmpty({
    ...member('os_name', texts('os_name')),
    ...member('os_version', texts('os_version')),
    ...member('architecture', texts('architecture')),
    ...member('hostname', texts('hostname')),
    ...member('cpu', cpu),
    ...member('memory', memory),
    ...member('disks', disksOf(facts.get('disks'))),
  });
}

/** One statement. */
export async function getConnectionContext(ctx: Ctx, connection_id: number): Promise<Context> {
  const row = await readContext(ctx.db, connection_id);
  return {
    connection_id,
    server_name: row.name,
    ...member('postgresql', postgresqlOf(row)),
    ...member('system', systemOf(row)),
  };
}
