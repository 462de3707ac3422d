// Roles that may run programs on the server's machine, or read and write its files.
import type { Item } from './facts.ts';
import { nameOf, ROLE_COLUMNS, serverRights } from './roles.ts';
import { defineCheck, type Problem } from './types.ts';
import { quoted } from './units.ts';

const READS_ONLY = 'pg_read_server_files';

function foundOf(role: Item, rights: readonly string[]): Problem {
  const name = nameOf(role);
  return {
    database_name: '',
    object_name: name,
    object_key: role.text('oid') ?? name,
    severity: rights.some((right) => right !== READS_ONLY) ? 'warning' : 'info',
    message: `Role "${name}" is a member of ${rights.join(' and ')}, which is equivalent to superuser.`,
    figure: null,
    evidence: {
      granted: rights.join(', '),
      rolcanlogin: role.flag('rolcanlogin'),
      members: role.number('member_count'),
    },
    remedy: rights.map((right) => `revoke ${right} from ${quoted(name)};`).join('\n'),
  };
}

export const check = defineCheck({
  name: 'server_file_rights',
  category: 'security',
  title: 'Role with access to server files or programs',
  meaning: 'It can read or replace server files or run programs there, and so become superuser.',
  advice: 'Revoke the membership. Use COPY FROM STDIN, or let an administrator do the work.',
  caution: 'Loads that read server files with COPY stop working.',
  source: 'predefined-roles.html',
  proof: 'stated',
  reads: { pg_roles: ROLE_COLUMNS },
  judge: (facts) => ({
    found: facts.rows('pg_roles').flatMap((role) => {
      const rights = serverRights(role);
      const isUsed = role.flag('rolcanlogin') === true || (role.number('member_count') ?? 0) > 0;
      return rights.length > 0 && isUsed && role.flag('rolsuper') !== true && role.flag('is_own') !== true
        ? [foundOf(role, rights)]
        : [];
    }),
  }),
});
