// Datagrams that a full socket loses are counted: what was sent is what came and what the kernel threw away.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Senders } from './senders.ts';
import { listenUdp } from './sockets.ts';
import { dropsIn, udpDrops } from './udp-drops.ts';

const TABLE = [
  '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops',
  '  205: 0100007F:0202 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 106 2 00000000dd90aa3c 17',
  '  206: 0100007F:0203 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 107 2 00000000dd90aa3d 0',
].join('\n');

describe('what the kernel says', () => {
  it('is the count of the socket at a port, and unknown where it has none', () => {
    expect([dropsIn(TABLE, 514), dropsIn(TABLE, 515), dropsIn(TABLE, 516), dropsIn('', 514)]).toEqual([
      ...[17, 0, undefined, undefined],
    ]);
  });
});

const SENT = 40_000;
/** Sends while this process is blocked, so that the buffer of its socket overflows. */
const sender = (port: number) =>
  `const s=require('node:dgram').createSocket('udp4');let n=0;const m=Buffer.alloc(1000,120);
   const next=()=>n++<${SENT}?s.send(m,${port},'127.0.0.1',next):s.close();next();`;

describe.skipIf(!existsSync('/proc/net/udp'))('a socket that is not read', () => {
  it('counts each datagram once: as one that came, or as one that was thrown away', async () => {
    let came = 0;
    const udp = await listenUdp(
      { host: '127.0.0.1', port: 0 },
      {
        senders: new Senders([]),
        message: () => undefined,
        lost: () => undefined,
        refused: () => {
          came += 1;
        },
        broken: (error) => {
          throw error;
        },
      },
    );
    execFileSync(process.execPath, ['-e', sender(udp.address.port)]);
    for (let round = 0; round < 100 && came + ((await udpDrops(udp.address.port)) ?? 0) < SENT; round += 1)
      await sleep(20);
    const drops = (await udpDrops(udp.address.port)) ?? 0;
    await udp.close();
    expect(drops).toBeGreaterThan(0);
    expect(came + drops).toBe(SENT);
  });
});
