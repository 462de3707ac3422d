// The program says how it does, whatever its roles: whether it lives, whether all of it works and why not, and its figures, which a real
// Prometheus takes as they are and which name no server.
import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { newKeyFile, startApiProcess } from '../testing/api-process.ts';
import { script } from '../testing/app-process.ts';
import { startChild } from '../testing/child.ts';
import { newFaultScene, proxyTo } from '../testing/faults/fault-scenarios.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { freePort } from '../testing/servers/free-port.ts';
import { testDirectory } from '../testing/servers/postgres.ts';

/** Where Prometheus of this machine is: the package of Debian puts it there. */
const PROGRAMS = process.env.MATRIARCH_TEST_PROMETHEUS ?? '/usr/bin';
const promtool = path.join(PROGRAMS, 'promtool');
const prometheus = path.join(PROGRAMS, 'prometheus');
const hasPrometheus = existsSync(promtool) && existsSync(prometheus);

interface Answer {
  status: number;
  text: string;
  type: string | null;
}

async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  return {
    status: response.status,
    text: await response.text(),
    type: response.headers.get('content-type'),
  };
}

/** Of one series, by its name and labels. */
const figure = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

interface Process {
  url: string;
  stop(): Promise<unknown>;
}

async function startWithoutApi(datastore: string, keyFile: string, args: string[] = []): Promise<Process> {
  const own = [
    '--data-dir',
    testDirectory('data'),
    '--secret-key-file',
    keyFile,
    '--datastore-url',
    datastore,
  ];
  const child = startChild({ script, args: ['start', '--roles', 'collector,alerter', ...own, ...args] });
  onTestFinished(async () => {
    await child.kill('SIGKILL');
  });
  for (let line = await child.line(); line !== null; line = await child.line()) {
    const url = /Health and metrics: (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { url, stop: () => child.kill('SIGTERM') };
  }
  throw new Error(`it ended early: ${child.errors()}`);
}

function demandPromtool(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(promtool, ['check', 'metrics'], (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout}${stderr}`));
      else resolve(`${stdout}${stderr}`);
    });
    child.stdin?.end(text);
  });
}

describe('a process without the role api', () => {
  it('answers on a port of its own, names no server, and says when its datastore is away', async () => {
    const { house, id } = await newFaultScene();
    await house.db.run(sql`/* test.name */
      update matriarch.connections set name = 'payroll-secret' where id = ${id}`);
    // The test's own user has taken the first number.
    await house.db.run(sql`/* test.users */
      select setval(pg_get_serial_sequence('matriarch.users', 'id'), 100)`);
    const { proxy, url: datastore } = await proxyTo(house.url);
    onTestFinished(() => proxy.stop());
    const { url, stop } = await startWithoutApi(datastore.reveal(), house.keyFile);
    for (const at of ['/health', '/health/live', '/health/ready'])
      expect([at, await ask(url + at)]).toMatchObject([at, { status: 200 }]);
    expect(await ask(`${url}/api/v1/connections`)).toMatchObject({ status: 404 });
    expect(await ask(`${url}/metrics/more`)).toMatchObject({ status: 404 });
    expect(await ask(`${url}/metrics`, { method: 'POST' })).toMatchObject({ status: 405 });

    const figures = async () => (await ask(`${url}/metrics`)).text;
    const good = async (part: string) =>
      figure(await figures(), `matriarch_rounds_total{part="${part}",outcome="good"}`);
    await expect.poll(() => good('alerter'), { timeout: 120_000 }).toBeGreaterThan(0);
    const isRead = async () => (figure(await figures(), 'matriarch_readings') ?? 0) > 0;
    await expect.poll(isRead, { timeout: 120_000 }).toBe(true);
    const age = async () =>
      figure(await figures(), 'matriarch_part_last_good_age_seconds{part="alerter"}') ?? Number.NaN;
    await expect.poll(age, { timeout: 60_000 }).toBeLessThan(60);
    const text = await figures();
    expect(text).toContain('matriarch_role{role="collector"} 1');
    expect(figure(text, 'matriarch_datastore_up')).toBe(1);
    expect(figure(text, 'matriarch_collector_servers')).toBe(1);
    expect(figure(text, 'matriarch_spool_available')).toBe(1);
    expect(figure(text, 'matriarch_spool_dropped_total')).toBe(0);
    expect(figure(text, 'matriarch_deliveries_waiting')).toBe(0);
    expect(figure(text, 'process_resident_memory_bytes')).toBeGreaterThan(20_000_000);
    expect(Math.abs(figure(text, 'matriarch_datastore_clock_offset_seconds') ?? Number.NaN)).toBeLessThan(2);
    expect(text).not.toMatch(/payroll|postgres|127\.0\.0\.1/);

    await proxy.set({ kind: 'refuse' });
    await expect.poll(async () => figure(await figures(), 'matriarch_datastore_up')).toBe(0);
    const away = await figures();
    expect(figure(away, 'matriarch_readings_late')).toBeUndefined();
    expect(figure(away, 'process_resident_memory_bytes')).toBeGreaterThan(20_000_000);
    await expect
      .poll(async () => figure(await figures(), 'matriarch_datastore_errors_total'))
      .toBeGreaterThan(0);
    expect(await ask(`${url}/health/live`)).toMatchObject({ status: 200 });
    expect(await ask(`${url}/health/ready`)).toMatchObject({
      status: 503,
      text: expect.stringMatching(/^\{"error":"The datastore /),
    });
    await proxy.set({ kind: 'pass' });
    await expect.poll(async () => (await ask(`${url}/health/ready`)).status, { timeout: 120_000 }).toBe(200);
    expect(await stop()).toBe(0);
  });
});

describe('a process with the role api', () => {
  it('answers the same at the API, and asks for the token that the settings name', async () => {
    const test = await testDatabase();
    onTestFinished(() => test.close());
    const tokenFile = path.join(testDirectory('token'), 'token');
    writeFileSync(tokenFile, 'a-token-of-the-settings\n');
    const { url, child } = await startApiProcess(test, newKeyFile(), ['--metrics-token-file', tokenFile]);
    onTestFinished(async () => {
      await child.kill('SIGKILL');
    });
    expect(await ask(`${url}/health/live`)).toMatchObject({ status: 200 });
    expect(await ask(`${url}/health/ready`)).toMatchObject({ status: 200 });
    expect(await ask(`${url}/health/none`)).toMatchObject({ status: 404 });
    expect(await ask(`${url}/metrics`)).toMatchObject({ status: 401 });
    const wrong = { headers: { authorization: 'Bearer another' } };
    expect(await ask(`${url}/metrics`, wrong)).toMatchObject({ status: 401 });
    const headers = { authorization: 'Bearer a-token-of-the-settings' };
    const answer = await ask(`${url}/metrics`, { headers });
    expect(answer).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(figure(answer.text, 'matriarch_datastore_up')).toBe(1);
    const accept = 'application/openmetrics-text; version=1.0.0';
    const open = await ask(`${url}/metrics`, { headers: { ...headers, accept } });
    expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.text).toMatch(/\n# EOF\n$/);
  });
});

describe.skipIf(!hasPrometheus)(
  'a real Prometheus (the package of Debian; MATRIARCH_TEST_PROMETHEUS names another folder)',
  () => {
    it('finds no fault in the figures, and reads them', async () => {
      const test = await testDatabase();
      onTestFinished(() => test.close());
      const { url } = await startWithoutApi(test.url.reveal(), newKeyFile());
      const good = async () => (await ask(`${url}/metrics`)).text;
      await expect
        .poll(good, { timeout: 120_000 })
        .toContain('matriarch_part_last_good_age_seconds{part="alerter"}');
      expect(await demandPromtool(await good())).toBe('');

      const folder = testDirectory('prometheus');
      const config = path.join(folder, 'prometheus.yml');
      const target = new URL(url).host;
      writeFileSync(
        config,
        `scrape_configs: [{job_name: matriarch, scrape_interval: 1s, static_configs: [{targets: ['${target}']}]}]\n`,
      );
      const port = await freePort();
      const args = ['--config.file', config, '--storage.tsdb.path', path.join(folder, 'data')];
      const child = spawn(prometheus, [...args, '--web.listen-address', `127.0.0.1:${port}`], {
        stdio: 'ignore',
      });
      onTestFinished(() => {
        child.kill('SIGKILL');
      });
      const query = async (series: string): Promise<string | undefined> => {
        const at = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(series)}`;
        const response = await fetch(at).catch(() => undefined);
        return response?.ok ? /"value":\[[\d.]+,"([^"]+)"\]/.exec(await response.text())?.[1] : undefined;
      };
      await expect.poll(() => query('up'), { timeout: 60_000 }).toBe('1');
      expect(await query('matriarch_datastore_up')).toBe('1');
      expect(Number(await query('process_cpu_seconds_total'))).toBeGreaterThan(0);
    });
  },
);
