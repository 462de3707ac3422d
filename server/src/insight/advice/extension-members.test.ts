// Who owns an extension may add to it what they wrote themselves: that it belongs to one does not make a thing harmless to plan.
import { expect, it } from 'vitest';
import { startCluster } from '../../testing/servers/postgres.ts';
import { NAMES } from './advice.queries.ts';
import { cellsOf } from './types.ts';

const MADE = [
  'create role maker login',
  'grant create on database postgres to maker',
  'grant create on schema public to maker',
  'set session authorization maker',
  'create extension citext',
  'create table bare (id int)',
  'create table of_extension (id int, name citext, names citext[])',
  `create function sneak(bare) returns int language plpgsql immutable as 'begin return 1; end'`,
  'alter extension citext add function sneak(bare)',
  `create function pair(int, int) returns int language plpgsql immutable as 'begin return 1; end'`,
  'create operator ### (leftarg = int, rightarg = int, function = pair)',
  'alter extension citext add function pair(int, int)',
  'alter extension citext add operator ### (int, int)',
  'create domain checked as int check (value > 0)',
  'alter extension citext add domain checked',
  'create table of_domain (id checked)',
  'create table of_domains (id checked[])',
  'create table of_operator (id int)',
  'create index on of_operator ((id ### 2))',
];

it('takes what was added to an extension for what it is', async () => {
  await using server = await startCluster();
  await server.query(MADE.join(';\n'));
  const tables = ['bare', 'of_extension', 'of_domain', 'of_domains', 'of_operator'];
  const asked = [tables.map(() => null), tables, ['citext_eq', 'pair'], ['###', '='], ['citext'], ['sneak']];
  const [row] = await server.query(NAMES, asked);
  expect(row).toMatchObject({ own_names: ['###', 'pair', 'sneak'] });
  const plain = cellsOf(row?.relations).filter(({ is_plain }) => is_plain === true);
  expect(plain.map((one) => one.asked).toSorted()).toEqual(['bare', 'of_extension']);
});
