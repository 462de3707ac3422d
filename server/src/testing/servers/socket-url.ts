import type { TestServer } from './cluster.ts';

/** A database of the server by its socket, as the program reaches the PostgreSQL that it brings. */
export function socketUrl({ url, socketDir }: TestServer, database = 'postgres'): string {
  const byName = new URL(url);
  byName.pathname = `/${database}`;
  byName.searchParams.set('host', socketDir);
  return byName.toString();
}
