// Events of a server as a whole: its start, and what else of it is another than before: its part in replication, its version,
// settings that were made for a role or a database. Guards: the start is told as specified, the others only on request.

import { changeType, listed, shortened, textOf } from './change-titles.ts';
import type { FactEvent } from './changed-facts.ts';
import type { SeenServer } from './timeline.queries.ts';
import type { EventText, FactKind } from './types.ts';

type Change = FactEvent['changes'][number];

/** The address leads to another server, as a proxy or a virtual IP does: no server is started before it was started the last time. */
function isAnother({ before, after, is_switch }: Change): boolean {
  if (is_switch) return true;
  const differs = (name: string) => {
    const [was, is] = [textOf(before?.[name]), textOf(after?.[name])];
    return was !== null && is !== null && was !== is;
  };
  const [was, is] = [before, after].map((row) => Date.parse(textOf(row?.postmaster_start_time) ?? ''));
  return differs('system_identifier') || differs('data_directory') || Number(is) < Number(was);
}

function anotherWords({ after }: Change, name: string): Pick<EventText, 'title' | 'summary'> {
  const cluster = textOf(after?.cluster_name);
  const called =
    cluster === null || cluster === '' ? 'another server' : `another server ("${shortened(cluster)}")`;
  return {
    title: 'Now answered by another server',
    summary: `The address of ${name} is now answered by ${called}, started at ${textOf(after?.postmaster_start_time)}. What was measured before is of the previous one.`,
  };
}

function restartWords({ changes }: FactEvent, server: SeenServer): EventText {
  const [change] = changes;
  const started = textOf(change?.after?.postmaster_start_time);
  const isSame = server.started_at !== null && Date.parse(server.started_at) === Date.parse(started ?? '');
  return {
    title: 'Server restarted',
    summary: `${server.name} was started at ${started}.`,
    ...(change && isAnother(change) && anotherWords(change, server.name)),
    details: {
      previous_start_time: textOf(change?.before?.postmaster_start_time),
      new_start_time: started,
      is_in_recovery: change?.after?.is_in_recovery ?? null,
      primary_role: isSame ? server.primary_role : null,
    },
  };
}

const partOf = (isInRecovery: unknown) => (isInRecovery === true ? 'standby' : 'primary');

function roleWords({ changes }: FactEvent, server: SeenServer): EventText {
  const [change] = changes;
  const [was, is] = [partOf(change?.before?.is_in_recovery), partOf(change?.after?.is_in_recovery)];
  return {
    title: is === 'primary' ? 'Promoted to primary' : 'Became a standby',
    summary: `${server.name} is a ${is} and was a ${was} before.`,
    details: { previous_role: was, new_role: is },
  };
}

function versionWords({ changes }: FactEvent, server: SeenServer): EventText {
  const [change] = changes;
  const [was, is] = [textOf(change?.before?.server_version), textOf(change?.after?.server_version)];
  return {
    title: `PostgreSQL ${is}`,
    summary: `${server.name} runs PostgreSQL ${is} and ran ${was} before.`,
    details: { previous_version: was, new_version: is },
  };
}

function roleSettingWords({ change_count, changes }: FactEvent, server: SeenServer): EventText {
  const details = changes.map((change) => {
    const row = change.after ?? change.before;
    return {
      name: textOf(row?.name) ?? '',
      role: textOf(row?.rolname),
      database: textOf(row?.datname),
      old_value: textOf(change.before?.setting),
      new_value: textOf(change.after?.setting),
      change_type: changeType(change),
    };
  });
  const names = details.map(({ name, role, database }) => {
    const of = [role === null ? '' : `role ${role}`, database === null ? '' : `database ${database}`];
    return `${shortened(name)} of ${of.filter((text) => text !== '').join(' in ') || 'all'}`;
  });
  return {
    title:
      change_count === 1 ? 'Setting of a role or database changed' : 'Settings of roles or databases changed',
    summary: `${listed(names, change_count)} changed on ${server.name}.`,
    details: { change_count, changes: details },
  };
}

export const SERVER_KINDS: readonly FactKind[] = [
  {
    type: 'restart',
    severity: 'warning',
    from: {
      kind: 'restart',
      probe: 'pg_server_info',
      compared: ['postmaster_start_time'],
      told: ['is_in_recovery', 'system_identifier', 'data_directory', 'cluster_name'],
      is_step: true,
      tells_switch: true,
    },
    words: restartWords,
  },
  {
    type: 'role_change',
    severity: 'warning',
    from: { kind: 'role', probe: 'pg_server_info', compared: ['is_in_recovery'], told: [], is_step: true },
    words: roleWords,
  },
  {
    type: 'version_change',
    severity: 'info',
    from: { kind: 'version', probe: 'pg_server_info', compared: ['server_version'], told: [], is_step: true },
    words: versionWords,
  },
  {
    type: 'role_setting_change',
    severity: 'info',
    from: {
      kind: 'role-setting',
      probe: 'pg_db_role_setting',
      compared: ['setting'],
      told: ['name', 'rolname', 'datname'],
      is_step: false,
    },
    words: roleSettingWords,
  },
];
