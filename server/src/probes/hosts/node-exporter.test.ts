import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { HostMemory } from './between-ticks.ts';
import { collectHost } from './collect.ts';
import { source } from './node-exporter.ts';
import type { HostInput } from './types.ts';

const PAGE = `node_uname_info{domainname="(none)",machine="x86_64",nodename="db7",release="6.1.0",sysname="Linux",version="#1"} 1
node_memory_MemTotal_bytes 8.0e+09
node_memory_MemFree_bytes 1.0e+09
node_memory_MemAvailable_bytes 5.0e+09
`;

const servers: http.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

async function serve(answer: http.RequestListener): Promise<{ url: string; paths: string[] }> {
  const paths: string[] = [];
  const server = http.createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, paths };
}

function input(node_exporter_url: string | null, over: Partial<HostInput> = {}): HostInput {
  return {
    query: async () => [],
    node_exporter_url,
    allow_private_networks: true,
    clock: systemClock,
    signal: new AbortController().signal,
    ...over,
  };
}
const gather = (url: string | null, over?: Partial<HostInput>) => source.gather(input(url, over));

describe('node_exporter', () => {
  it('is read at the address of the connection, /metrics when it names no path', async () => {
    const { url, paths } = await serve((_request, response) => response.end(PAGE));
    const expected = {
      status: 'ok',
      facts: { hostname: 'db7', memory_total_bytes: 8e9, memory_used_bytes: 3e9, memory_free_bytes: 1e9 },
    };
    expect(await gather(url)).toMatchObject(expected);
    expect(await gather(`${url}/exporter?collect[]=meminfo`)).toMatchObject(expected);
    expect(paths).toEqual(['/metrics', '/exporter?collect[]=meminfo']);
  });

  it('is asked once for everything that is due, and tells how busy processors were between two ticks', async () => {
    const page = (user: number, idle: number) => `${PAGE}node_boot_time_seconds 1.7e9
node_cpu_seconds_total{cpu="0",mode="idle"} ${idle}
node_cpu_seconds_total{cpu="0",mode="system"} 5
node_cpu_seconds_total{cpu="0",mode="user"} ${user}
node_load1 0.5
node_load5 1
node_load15 1.5
node_pressure_io_waiting_seconds_total 2.5
`;
    const pages = [page(10, 100), page(40, 170), page(1, 2)];
    const { url, paths } = await serve((_request, response) => response.end(pages.shift()));
    const families = ['cpu_usage', 'load', 'memory', 'pressure', 'process_counts'] as const;
    const memory: HostMemory = {};
    const tick = async () =>
      (await collectHost(input(url), { families, memory, sources: [source] })).families;
    const first = await tick();
    expect(first.get('cpu_usage')).toMatchObject({ kind: 'ran', rows: [{ idle_mode_percent: null }] });
    expect(first.get('load')).toMatchObject({
      rows: [{ load_avg_one_minute: 0.5, load_avg_ten_minutes: null, load_avg_fifteen_minutes: 1.5 }],
    });
    expect(first.get('memory')).toMatchObject({ rows: [{ total_memory: 8e9, used_memory: 3e9 }] });
    expect(first.get('pressure')).toMatchObject({ rows: [{ io_some_ms: 2500, io_some_avg10: null }] });
    expect(first.get('process_counts')).toMatchObject({ kind: 'skipped' });
    expect(paths).toHaveLength(1);
    expect((await tick()).get('cpu_usage')).toMatchObject({
      rows: [
        {
          usermode_normal_process_percent: 30,
          idle_mode_percent: 70,
          processor_time_percent: 30,
          io_completion_percent: null,
        },
      ],
    });
    // Its counters began anew: the machine was started again.
    expect((await tick()).get('cpu_usage')).toMatchObject({ rows: [{ processor_time_percent: null }] });
    expect(paths).toHaveLength(3);
  });

  it('by name goes to the address that was checked', async () => {
    const { url } = await serve((_request, response) => response.end(PAGE));
    expect(await gather(url.replace('127.0.0.1', 'localhost'))).toMatchObject({ status: 'ok' });
  });

  it('without an address says how to set one', async () => {
    for (const none of [null, '', '  '])
      expect(await gather(none)).toMatchObject({ status: 'unavailable', mend: /node_exporter_url/ });
  });

  it('is not followed to another address', async () => {
    const { url: secret, paths } = await serve((_request, response) => response.end(PAGE));
    const { url } = await serve((_request, response) => response.writeHead(302, { location: secret }).end());
    expect(await gather(url)).toMatchObject({ status: 'unavailable', reason: /answered 302/ });
    expect(paths).toEqual([]);
  });

  it('is cut off beyond 5 MB', async () => {
    const { url } = await serve((_request, response) => {
      const piece = Buffer.alloc(1_000_000, 'x');
      const more = (left: number): void => {
        if (left === 0 || response.destroyed) response.end();
        else response.write(piece, () => more(left - 1));
      };
      more(50);
    });
    expect(await gather(url)).toMatchObject({ status: 'unavailable', reason: /larger than 5 MB/ });
  });

  it('that hangs is left when the collector stops', async () => {
    const { url } = await serve(() => undefined);
    const controller = new AbortController();
    const pending = gather(url, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await pending).toMatchObject({ status: 'unavailable', reason: /did not answer/ });
  });

  it('says what is wrong in words', async () => {
    const { url: missing } = await serve((_request, response) => response.writeHead(404).end('no'));
    const { url: foreign } = await serve((_request, response) => response.end('<html></html>'));
    const { url: gone } = await serve(() => undefined);
    const [server] = servers.splice(-1);
    await new Promise((resolve) => server?.close(resolve));
    const cases: [string, RegExp][] = [
      [missing, /answered 404/],
      [foreign, /no metrics of node_exporter/],
      [gone, /Nothing listens at 127\.0\.0\.1:\d+/],
      ['ftp://db1/metrics', /not a plain http/],
      ['http://user:secret@127.0.0.1/metrics', /not a plain http/],
      ['not a url', /not a plain http/],
    ];
    for (const [url, reason] of cases) {
      const outcome = await gather(url);
      expect(outcome, url).toMatchObject({ status: 'unavailable', reason });
      expect(JSON.stringify(outcome)).not.toContain('secret');
    }
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://0.0.0.0:9100/',
    'http://[::ffff:169.254.169.254]/',
    'http://0xa9fea9fe/',
  ])('never asks %s', async (url) => {
    expect(await gather(url)).toMatchObject({ status: 'unavailable', reason: /not allowed/ });
  });

  it('is not asked on a private network when those are switched off', async () => {
    const { url, paths } = await serve((_request, response) => response.end(PAGE));
    const outcome = await gather(url, { allow_private_networks: false });
    expect(outcome).toMatchObject({ status: 'unavailable', reason: /private networks/ });
    expect(paths).toEqual([]);
  });
});
