// Events from facts that changed: settings, rules of pg_hba.conf, mappings of pg_ident.conf, extensions, the start of a
// server. Guards: what the specified details hold, and nothing else; secrets were masked before they were stored.
import type { Db } from '../../kernel/db.ts';
import type { Row } from '../../store/layout/types.ts';
import { changeType, listed, setting, shortened, textOf, titleOf } from './change-titles.ts';
import { type EventChange, type FactEvent, factEventsBetween } from './changed-facts.ts';
import { SERVER_KINDS } from './server-events.ts';
import type { SeenServer } from './timeline.queries.ts';
import type { Event, EventText, FactKind, TimelinePart, TimelineScope } from './types.ts';

/** Changes that the details of one event hold. */
const MOST_CHANGES = 500;

const nameOf = ({ before, after }: EventChange, column: string) => textOf((after ?? before)?.[column]) ?? '';

function settingWords({ change_count, changes }: FactEvent, { name: server }: SeenServer): EventText {
  const details = changes.map((change) => ({
    name: nameOf(change, 'name'),
    old_value: textOf(change.before?.setting),
    new_value: textOf(change.after?.setting),
    change_type: changeType(change),
  }));
  const [only] = changes;
  const names = details.map(({ name }) => name);
  return {
    title: titleOf('Setting', names, { change_count, changes }),
    summary:
      change_count === 1 && only?.before && only.after
        ? `${names[0]} went from ${setting(only.before)} to ${setting(only.after)} on ${server}.`
        : `${listed(names, change_count)} changed on ${server}.`,
    details: { change_count, changes: details },
  };
}

/** The network as pg_hba.conf has it. */
function addressOf(row: Row | null): string | null {
  const [address, mask] = [textOf(row?.address), textOf(row?.netmask)];
  if (address === null || mask === null) return address;
  const groups = mask.includes(':') ? mask.split(':').map((part) => Number.parseInt(part || '0', 16)) : [];
  const numbers = groups.length > 0 ? groups : mask.split('.').map(Number);
  const bits = numbers.reduce((sum, number) => sum + number.toString(2).replaceAll('0', '').length, 0);
  return `${address}/${bits}`;
}

const rule = (row: Row | null) => ({
  type: textOf(row?.type),
  database: textOf(row?.database),
  user_name: textOf(row?.user_name),
  address: addressOf(row),
  auth_method: textOf(row?.auth_method),
});

const ruleText = (row: Row | null) => {
  if (textOf(row?.error) !== null) return 'a line with an error';
  const { type, database, user_name, address, auth_method } = rule(row);
  const parts = [type, database, user_name, address, auth_method, textOf(row?.options)];
  return shortened(parts.filter((part) => part !== null && part !== '').join(' '));
};

function hbaWords({ change_count, changes }: FactEvent, { name: server }: SeenServer): EventText {
  const details = changes.map((change) => {
    const [now, was] = [rule(change.after ?? change.before), rule(change.after && change.before)];
    return {
      rule_number: (change.after ?? change.before)?.rule_number ?? null,
      ...now,
      prev_type: was.type,
      prev_database: was.database,
      prev_user_name: was.user_name,
      prev_address: was.address,
      prev_auth_method: was.auth_method,
      change_type: changeType(change),
    };
  });
  const [only] = changes;
  const text = only && ruleText(only.after ?? only.before);
  return {
    title: `pg_hba.conf: ${change_count === 1 ? '1 rule' : `${change_count} rules`} changed`,
    summary:
      change_count === 1 && only
        ? `${changeType(only) === 'removed' ? 'Removed from' : changeType(only) === 'added' ? 'Added to' : 'Modified in'} pg_hba.conf of ${server}: ${text}.`
        : `${change_count} rules of pg_hba.conf changed on ${server}; a rule that is put in between moves those below it.`,
    details: { change_count, changes: details },
  };
}

function identWords({ change_count, changes }: FactEvent, { name: server }: SeenServer): EventText {
  const mappings = changes.map((change) => {
    const row = change.after ?? change.before;
    return {
      map_number: row?.map_number ?? null,
      map_name: textOf(row?.map_name),
      sys_name: textOf(row?.sys_name),
      pg_username: textOf(row?.pg_username),
      change_type: changeType(change),
    };
  });
  const [only] = mappings;
  return {
    title: `pg_ident.conf: ${change_count === 1 ? '1 mapping' : `${change_count} mappings`} changed`,
    summary:
      change_count === 1 && only
        ? `The mapping of ${shortened(only.sys_name ?? '')} to ${only.pg_username} in ${only.map_name} was ${only.change_type} on ${server}.`
        : `${change_count} mappings of pg_ident.conf changed on ${server}.`,
    details: { mapping_count: change_count, mappings },
  };
}

function extensionWords({ change_count, changes }: FactEvent, { name: server }: SeenServer): EventText {
  const details = changes.map((change) => ({
    name: nameOf(change, 'extname'),
    version: textOf(change.after?.extversion),
    old_version: textOf(change.before?.extversion),
    database: change.database_name,
    change_type: changeType(change),
  }));
  const names = details.map(({ name }) => name);
  const databases = [...new Set(details.map(({ database }) => database))];
  return {
    title: titleOf('Extension', names, { change_count, changes }),
    summary: `${listed(names, change_count)} changed in ${listed(databases, databases.length)} of ${server}.`,
    details: { change_count, changes: details },
  };
}

const SPECIFIED: readonly FactKind[] = [
  {
    type: 'config_change',
    severity: 'info',
    from: {
      kind: 'config',
      probe: 'pg_settings',
      compared: ['setting'],
      told: ['name', 'unit'],
      is_step: false,
    },
    words: settingWords,
  },
  {
    type: 'hba_change',
    severity: 'info',
    from: {
      kind: 'hba',
      probe: 'pg_hba_file_rules',
      compared: ['type', 'database', 'user_name', 'address', 'netmask', 'auth_method', 'options', 'error'],
      told: ['rule_number'],
      is_step: false,
    },
    words: hbaWords,
  },
  {
    type: 'ident_change',
    severity: 'info',
    from: {
      kind: 'ident',
      probe: 'pg_ident_file_mappings',
      compared: ['map_name', 'sys_name', 'pg_username', 'error'],
      told: ['map_number'],
      is_step: false,
    },
    words: identWords,
  },
  {
    type: 'extension_change',
    severity: 'info',
    from: {
      kind: 'extension',
      probe: 'pg_extension',
      compared: ['extversion'],
      told: ['extname'],
      is_step: false,
    },
    words: extensionWords,
  },
];

const KINDS = [...SPECIFIED, ...SERVER_KINDS];

const BY_PREFIX = new Map(KINDS.map((kind) => [kind.from.kind, kind]));

export async function factSource(db: Db, { servers, types, ...asked }: TimelineScope): Promise<TimelinePart> {
  const found = await factEventsBetween(db, {
    ...asked,
    connection_ids: [...servers.keys()],
    kinds: KINDS.filter(({ type }) => types.has(type)).map(({ from }) => from),
    most: MOST_CHANGES,
  });
  const events = found.events.flatMap((event): Event[] => {
    const [kind, server] = [BY_PREFIX.get(event.kind), servers.get(event.connection_id)];
    if (!kind || !server) return [];
    const occurred_at = new Date(event.at).toISOString();
    return [
      {
        id: `${event.kind}-${server.id}-${occurred_at}`,
        event_type: kind.type,
        connection_id: server.id,
        server_name: server.name,
        occurred_at,
        severity: kind.severity,
        ...kind.words(event, server),
      },
    ];
  });
  const counts = new Map(KINDS.map(({ type, from }) => [type, found.counts.get(from.kind) ?? 0]));
  return { events, counts, total_count: [...counts.values()].reduce((sum, count) => sum + count, 0) };
}
