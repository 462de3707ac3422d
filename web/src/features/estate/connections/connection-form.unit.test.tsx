// The form of a connection while it is filled in: what is pasted goes into its fields and nowhere else, and a password
// is sent only to the server that it was given for.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Connection } from '../../../api/types.ts';
import { Refusal, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { AddConnectionPage } from './add-connection-page.tsx';
import { EditConnectionPage } from './edit-connection-page.tsx';

const FIRST = 'postgres://watcher:first-secret@db1.example.com:5433/orders?sslmode=require';
const SECOND = 'postgres://watcher@db2.example.com/billing';

const STORED: Connection = {
  id: 1,
  name: 'orders-primary',
  description: '',
  host: 'db1.example.com',
  port: 5432,
  database_name: 'postgres',
  username: 'watcher',
  ssl_mode: 'prefer',
  is_monitored: true,
  is_shared: true,
  has_password: true,
  membership_source: 'auto',
};

const ANSWERS = {
  ...EVERYWHERE,
  listPasswordSources: [{ name: 'vault', kind: 'command' as const, hosts: ['*.example.com'] }],
  getMonitoringScript: { monitoring_script: 'create role watcher' },
  testConnection: new Refusal(400, 'The test of the test.'),
  createConnection: new Refusal(409, 'There is such a connection already.'),
  updateConnection: new Refusal(409, 'There is such a connection already.'),
  getConnection: STORED,
};

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const test = () => screen.getByRole('button', { name: 'Test the connection' });

async function open(page: 'add' | 'edit', over: object = {}) {
  const api = await startApi({ ...ANSWERS, ...over });
  const place = page === 'add' ? {} : { at: '/servers/1/edit', path: '/servers/:id/edit' };
  const { user } = show(page === 'add' ? <AddConnectionPage /> : <EditConnectionPage />, place);
  await screen.findByLabelText('Host');
  const paste = async (text: string) => {
    await user.click(field('Connection URL'));
    await user.paste(text);
  };
  const given = (operation: string) =>
    api.sent.filter((one) => one.operation === operation).map(({ body }) => body);
  return { api, user, paste, given };
}

it('takes a pasted URL apart, empties the field, and sends nothing before somebody tests', async () => {
  const { api, user, paste, given } = await open('add');
  await paste(FIRST);
  expect(field('Host').value).toBe('db1.example.com');
  expect(field('Port').value).toBe('5433');
  expect(field('Database').value).toBe('orders');
  expect(field('Role').value).toBe('watcher');
  expect(field('Password').value).toBe('first-secret');
  expect(field('Encryption').value).toBe('require');
  expect(field('Connection URL').value).toBe('');
  expect(JSON.stringify(api.sent)).not.toContain('first-secret');
  await user.click(test());
  await screen.findByText('The test of the test.');
  expect(given('testConnection')).toMatchObject([
    { host: 'db1.example.com', port: 5433, username: 'watcher', password: 'first-secret' },
  ]);
});

it('says what a pasted text has that the form leaves out, or cannot take', async () => {
  const { paste } = await open('add');
  await paste(`${SECOND}?pgbouncer=true&connection_limit=1&sslrootcert=system`);
  screen.getByText('Left out, as Matriarch has no use for it: pgbouncer, connection_limit.');
  expect(field('Encryption').value).toBe('verify-full');
  await paste(`${FIRST}&options=-csearch_path%3Dx`);
  await screen.findByText(/^options sets parameters of the session/);
  expect(field('Host').value).toBe('db2.example.com');
  expect(screen.queryByText(/Left out/)).toBeNull();
});

it('drops the password of the first URL when a second one is pasted', async () => {
  const { user, paste, given } = await open('add');
  await paste(FIRST);
  await paste(SECOND);
  expect(field('Host').value).toBe('db2.example.com');
  expect(field('Password').value).toBe('');
  await user.click(test());
  await screen.findByText('The test of the test.');
  expect(given('testConnection')).toHaveLength(1);
  expect(JSON.stringify(given('testConnection'))).not.toContain('first-secret');
});

it('asks for a typed password again when the host changes after it, and neither tests nor saves', async () => {
  const { user, paste, given } = await open('add');
  await paste(FIRST);
  await user.clear(field('Host'));
  await user.type(field('Host'), 'evil.example.com');
  await user.click(test());
  await screen.findByText(/Type the password again: it was given for db1\.example\.com:5433 as watcher\./);
  await user.click(screen.getByRole('button', { name: 'Add and monitor' }));
  expect(given('testConnection')).toEqual([]);
  expect(given('createConnection')).toEqual([]);
  await user.clear(field('Password'));
  await user.type(field('Password'), 'second-secret');
  await user.click(test());
  await screen.findByText('The test of the test.');
  expect(given('testConnection')).toMatchObject([{ host: 'evil.example.com', password: 'second-secret' }]);
});

it('never sends a stored password elsewhere, and saves other changes without one', async () => {
  const { user, given } = await open('edit');
  await user.clear(field('Port'));
  await user.type(field('Port'), '6432');
  await user.click(test());
  await screen.findByText(/the stored one is sent nowhere else/);
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  expect([...given('testConnection'), ...given('updateConnection')]).toEqual([]);
  await user.clear(field('Port'));
  await user.type(field('Port'), '5432');
  await user.type(field('Description'), 'Orders');
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('There is such a connection already.');
  expect(given('updateConnection')).toMatchObject([{ port: 5432, description: 'Orders' }]);
  expect(JSON.stringify(given('updateConnection'))).not.toContain('"password"');
});

it('answers the address of another kind of database in words, and keeps it to be mended', async () => {
  const { paste } = await open('add');
  await paste('mysql://watcher:first-secret@db1.example.com/orders');
  expect(field('Connection URL').getAttribute('aria-invalid')).toBe('true');
  expect(field('Host').value).toBe('');
  expect(field('Connection URL').value).toMatch(/^mysql:/);
});

it('leads to the first field that is wrong, and keeps what was typed when the server refuses', async () => {
  const { user, given } = await open('add');
  await user.click(screen.getByRole('button', { name: 'Add and monitor' }));
  await expect.poll(() => document.activeElement).toBe(field('Host'));
  expect(given('createConnection')).toEqual([]);
  await user.type(field('Host'), 'db1.example.com');
  await user.type(field('Role'), 'watcher');
  await user.click(screen.getByRole('button', { name: 'Add and monitor' }));
  await screen.findByText('There is such a connection already.');
  expect(field('Host').value).toBe('db1.example.com');
});

it('takes the password from a source of the settings, and sends none then', async () => {
  const { user, paste, given } = await open('add');
  await paste(FIRST);
  const source = await screen.findByLabelText<HTMLSelectElement>('Password from');
  expect([...source.options].map(({ text }) => text)).toEqual([
    'typed in above',
    'vault (command for *.example.com)',
  ]);
  await user.selectOptions(source, 'vault');
  expect(screen.queryByLabelText('Password')).toBeNull();
  await user.click(test());
  await screen.findByText('The test of the test.');
  expect(given('testConnection')).toMatchObject([{ password: '', password_source: 'vault' }]);
  // A pasted password takes its place.
  await paste(FIRST);
  expect([source.value, field('Password').value]).toEqual(['', 'first-secret']);
});

it('shows the source of a stored connection and why it fails, and may give it up', async () => {
  const reading = { read_at: null, failed_at: '2026-01-01T00:00:00Z', problem: 'it ended with code 7' };
  const stored = {
    ...STORED,
    has_password: false,
    password_source: 'gone',
    password_source_reading: reading,
  };
  const { user, given } = await open('edit', { getConnection: stored });
  const source = await screen.findByLabelText<HTMLSelectElement>('Password from');
  expect(source.value).toBe('gone');
  screen.getByText('It gave no password the last time: it ended with code 7.');
  await user.selectOptions(source, '');
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('There is such a connection already.');
  expect(given('updateConnection')).toMatchObject([{ password_source: '' }]);
});
