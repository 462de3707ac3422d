// What the first page waits for is read while its code is still on its way: who is signed in, then the estate, and the server
// whose page it is. Guards: whoever is not signed in asks for nothing else; of a server that may not be seen nothing but one
// refused read is asked for; what fails here is read again, and told, by the page itself.
import type { QueryClient } from '@tanstack/react-query';
import type { UserInfo } from '../api/types.ts';
import { isHopeless, readAhead } from '../api/use-operation.ts';
import { writePreference } from '../lib/preferences.ts';

const SERVER = /^\/servers\/([1-9]\d{0,9})\/?$/;

export async function readFirst(client: QueryClient, path: string): Promise<void> {
  await readAhead(client, 'getUserInfo', {});
  const user = client.getQueryData<UserInfo>(['getUserInfo', {}]);
  if (user?.authenticated === false) writePreference('signed-in', 'no');
  if (!user?.authenticated) return;
  const id = Number(SERVER.exec(path)?.[1] ?? 0);
  await Promise.all([
    readAhead(client, 'getEstate', {}),
    ...(path === '/' ? [readAhead(client, 'getOverview', { query: {} })] : []),
    ...(id > 0 ? [ofServer(client, id)] : []),
  ]);
}

/** What the overview of a server shows as words, which is there with its first picture then. */
async function ofServer(client: QueryClient, id: number): Promise<void> {
  const server = { params: { connection_id: id } };
  await readAhead(client, 'getServerInfo', server);
  if (isHopeless(client.getQueryState(['getServerInfo', server])?.error ?? null)) return;
  await Promise.all([
    readAhead(client, 'listAlerts', { query: { connection_id: id, exclude_cleared: true, limit: 50 } }),
    readAhead(client, 'getConnectionMoment', { params: { id }, query: { limit: 1000 } }),
    readAhead(client, 'listFindings', { query: { state: 'open', connection_ids: String(id), limit: 6 } }),
  ]);
}
