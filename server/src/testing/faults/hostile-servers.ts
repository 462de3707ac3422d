// Hostile servers in a process of their own, so that what they cost is not counted as ours. Arguments: how many, and the
// name of the mode. Prints their ports and, when it is asked by a line, the bytes they sent. Ends with its input.
import { createInterface } from 'node:readline';
import { HOSTILITIES } from '../servers/hostile-modes.ts';
import { startHostile } from '../servers/hostile-server.ts';

const [count = '30', name = ''] = process.argv.slice(2);
const mode = HOSTILITIES.find((one) => one.at === 'answer' && one.name === name);
if (!mode) throw new Error(`There is no mode "${name}".`);
const servers = await Promise.all(Array.from({ length: Number(count) }, () => startHostile(mode)));
process.stdout.write(`${JSON.stringify(servers.map(({ port }) => port))}\n`);
const lines = createInterface({ input: process.stdin });
lines.on('line', () => {
  const sent = servers.reduce((sum, server) => sum + server.sent, 0);
  const connections = servers.reduce((sum, server) => sum + server.connections, 0);
  process.stdout.write(`${JSON.stringify({ sent, connections })}\n`);
});
lines.on('close', () => process.exit(0));
