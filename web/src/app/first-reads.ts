// What the first page waits for is read while its code is still on its way: who is signed in, then the estate, and the server
// whose page it is. Guards: whoever is not signed in asks for nothing else; what fails here is read again, and told, by the
// page itself.
import type { QueryClient } from '@tanstack/react-query';
import type { UserInfo } from '../api/types.ts';
import { readAhead } from '../api/use-operation.ts';

const SERVER = /^\/servers\/([1-9]\d{0,9})\/?$/;

export async function readFirst(client: QueryClient, path: string): Promise<void> {
  await readAhead(client, 'getUserInfo', {});
  const user = client.getQueryData<UserInfo>(['getUserInfo', {}]);
  if (!user?.authenticated) return;
  const id = Number(SERVER.exec(path)?.[1] ?? 0);
  await Promise.all([
    readAhead(client, 'getEstate', {}),
    ...(id > 0 ? [readAhead(client, 'getServerInfo', { params: { connection_id: id } })] : []),
  ]);
}
