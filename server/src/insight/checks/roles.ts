// Roles as several checks ask for them. Pure.
import type { Facts, Item } from './facts.ts';

export const ROLE_COLUMNS = [
  'rolname',
  'oid',
  'rolsuper',
  'rolcreaterole',
  'rolbypassrls',
  'rolcanlogin',
  'rolreplication',
  'rolvaliduntil',
  'memberships',
  'member_count',
  'is_own',
] as const;

/** The role that initdb made, which is always a superuser. */
const BOOTSTRAP = 10;
export const isBootstrap = (role: Item): boolean => role.number('oid') === BOOTSTRAP;

export const nameOf = (role: Item): string => role.text('rolname') ?? '';

export const logins = (facts: Facts): Item[] =>
  facts.rows('pg_roles').filter((role) => role.flag('rolcanlogin') === true);

/** Their members can become the operating system's user of the server. */
const SERVER_RIGHTS = ['pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files'] as const;

export const serverRights = (role: Item): string[] => {
  const granted = new Set(role.list('memberships'));
  return SERVER_RIGHTS.filter((right) => granted.has(right));
};

export const evidenceOf = (role: Item) => ({
  rolsuper: role.flag('rolsuper'),
  rolcreaterole: role.flag('rolcreaterole'),
  rolbypassrls: role.flag('rolbypassrls'),
  rolreplication: role.flag('rolreplication'),
  rolcanlogin: role.flag('rolcanlogin'),
});
