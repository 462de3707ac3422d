// Scenes of roles and of what everybody may do.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import { set } from '../../testing/servers/rule-scenes/scene.ts';

/** A name that has to be quoted. */
const ROLE = 'Kit "boss"';
const QUOTED = '"Kit ""boss"""';
const isIt: CheckScene['isIt'] = ({ object_name }) => object_name === ROLE;

const withRole =
  (attributes: string, ...more: readonly string[]): CheckScene['make'] =>
  async ({ primary }) => {
    await run(primary, `create role ${QUOTED} ${attributes}`, ...more);
    return () => run(primary, `drop role ${QUOTED}`);
  };

const OPEN = ['create schema "Open"', 'grant create on schema "Open" to public'] as const;

export const scenes: readonly CheckScene[] = [
  {
    check: 'superuser_login',
    make: withRole('login superuser'),
    isIt,
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'info', evidence: { rolsuper: true, superusers: 1 } }),
  },
  {
    check: 'server_file_rights',
    make: withRole(
      'login',
      `grant pg_read_server_files to ${QUOTED}`,
      `grant pg_execute_server_program to ${QUOTED}`,
    ),
    isIt,
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'warning',
        evidence: { granted: 'pg_execute_server_program, pg_read_server_files' },
      }),
  },
  {
    check: 'powerful_login',
    make: withRole('login createrole bypassrls'),
    isIt,
    expect: (found) => expect(found.message).toContain('createrole and bypassrls'),
  },
  {
    check: 'expired_password',
    make: withRole("login valid until '2020-02-03 00:00+00'"),
    isIt,
    expect: (found) => expect(found.message).toContain('expired on 2020-02-03'),
  },
  {
    check: 'expired_password',
    title: 'that was never valid',
    make: withRole("login valid until '-infinity'"),
    isIt,
    expect: (found) =>
      expect(found).toMatchObject({
        message: expect.stringContaining('was never valid'),
        evidence: { rolvaliduntil: '-infinity', days: null },
      }),
  },
  {
    check: 'own_role_powerful',
    isDear: true,
    async as({ primary }) {
      const as = { username: 'kit_reader', password: randomUUID() };
      await run(
        primary,
        `create role kit_reader login password '${as.password}'`,
        'grant pg_monitor to kit_reader',
      );
      return as;
    },
    async make({ primary }) {
      await run(
        primary,
        'alter role kit_reader superuser createrole',
        'grant pg_write_server_files to kit_reader',
      );
      return () => run(primary, 'drop role kit_reader');
    },
    isIt: ({ object_name }) => object_name === 'kit_reader',
    expect: (found) => {
      expect(found.message).toContain(
        'is a superuser, can create roles, is a member of pg_write_server_files',
      );
    },
  },
  {
    check: 'schema_open_to_all',
    async make({ primary }) {
      await run(primary, ...OPEN);
      return () => run(primary, 'drop schema "Open"');
    },
    isIt: ({ object_name }) => object_name === 'Open',
    expect: (found) => expect(found).toMatchObject({ severity: 'info', database_name: 'postgres' }),
  },
  {
    check: 'extension_in_open_schema',
    async make({ primary }) {
      await run(primary, ...OPEN, 'create extension citext schema "Open"');
      return () => run(primary, 'drop extension citext', 'drop schema "Open"');
    },
    isIt: ({ object_name }) => object_name === 'citext',
    expect: (found) => expect(found.evidence.schema_name).toBe('Open'),
  },
  {
    check: 'unsafe_security_definer',
    async make({ primary }) {
      await run(
        primary,
        'create schema "Open"',
        `create function "Open"."count All"(what text, "how Many" int[]) returns bigint language sql security definer
        set work_mem = '4MB' as 'select 1::bigint'`,
      );
      return () => run(primary, 'drop schema "Open" cascade');
    },
    isIt: ({ object_name }) => object_name === 'Open.count All(what text, "how Many" integer[])',
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'warning', evidence: { public_may_call: true } }),
  },
  {
    check: 'unsafe_security_definer',
    title: 'not for all',
    async make({ primary }) {
      await run(
        primary,
        'create procedure tidy() language sql security definer as $$ select 1 $$',
        'revoke execute on procedure tidy() from public',
      );
      return () => run(primary, 'drop procedure tidy()');
    },
    isIt: ({ object_name }) => object_name === 'public.tidy()',
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'info', evidence: { public_may_call: false } }),
  },
  {
    check: 'password_encryption_md5',
    make: ({ primary }) => set(primary, { password_encryption: 'md5' }),
    isIt: () => true,
    expect: (found, { primary }) => expect(found.severity).toBe(primary.major >= 18 ? 'warning' : 'info'),
  },
];
