// P13: what the interface costs a browser: script of its pages (what comes first is counted by the build), the largest paint with a
// processor four times slower, the work of the main thread for each movement of the pointer over charts, and frames while a
// table of 10,000 rows and the estate are scrolled. Prints figures beside what is to be reached, judges nothing.
// Run: npm run bench -- interface [rows=10000] [servers=20]
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import type { Locator, Page, Response } from 'playwright-core';
import type { Database } from '../../server/src/kernel/db.ts';
import { openEngine } from '../../server/src/store/layout/engine/open.ts';
import { collectedHistory } from '../../server/src/testing/store/collected.ts';
import { startBrowser } from '../src/browser.ts';
import { startManyServers } from '../src/many-servers.ts';
import { openPage, type Visit } from '../src/pages.ts';
import { settleIn } from '../src/people.ts';

const ROWS = Number(process.argv[2] ?? 10_000);
const SERVERS = Number(process.argv[3] ?? 20);
const MINUTE_MS = 60_000;
const RUNS = 5;
const MOVES = 120;
const SLOWER = 4;
/** A page that follows a thousand servers never rests; what it shows first is there by then. */
const SETTLED_MS = 5000;

const print = (line: string) => process.stdout.write(`${line}\n`);
const row = (what: string, figure: string, wanted = '') =>
  print(`${what.padEnd(58)}${figure.padStart(24)}  ${wanted}`);

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
const ms = (value: number) => `${value.toFixed(1)} ms`;
const spread = (values: readonly number[]) => `${ms(quantile(values, 0.5))} / ${ms(quantile(values, 0.99))}`;

/** Bytes of the scripts that a page loads, gzip. */
async function scriptOf(visit: Visit, path: string): Promise<number> {
  const bodies: Promise<Buffer>[] = [];
  const take = (response: Response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body());
  };
  visit.page.on('response', take);
  await visit.page.goto(path);
  // Streams stay open, so a quiet second of scripts is the end of loading.
  for (let seen = -1; seen !== bodies.length; await visit.page.waitForTimeout(1000)) seen = bodies.length;
  visit.page.off('response', take);
  return (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
}

/** An hour of a server that is busy, read every minute, its sessions every ten seconds. */
async function storeHour(db: Database, connection_id: number): Promise<void> {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const databases = ['orders', 'billing', 'reporting', 'postgres'];
  const runs = Array.from({ length: 61 }, (_none, minute) => {
    const at = now - (60 - minute) * MINUTE_MS;
    const much = 1 + Math.abs(Math.sin(minute / 9));
    const of = (probe: string, rows: Record<string, unknown>[]) => ({ connection_id, probe, at, rows });
    return [
      of(
        'pg_stat_database',
        databases.map((datname, n) => ({
          datid: 16_384 + n,
          datname,
          numbackends: Math.round(10 * much),
          xact_commit: Math.round(minute * 6000 * much),
          xact_rollback: minute * 3,
          blks_read: minute * 500,
          blks_hit: Math.round(minute * 90_000 * much),
          temp_bytes: minute * 1_000_000,
          deadlocks: Math.floor(minute / 20),
        })),
      ),
      of('pg_sys_memory_info', [{ used_memory: 8e9 * much, cache_total: 4e9, swap_used: 0 }]),
      of('pg_sys_cpu_usage_info', [{ processor_time_percent: 30 * much, io_completion_percent: 4 * much }]),
      of('pg_stat_wal', [{ wal_bytes: Math.round(minute * 5e7 * much) }]),
    ];
  }).flat();
  const classes = [null, 'Lock', 'IO', 'LWLock', 'Client', 'WAL'];
  const sessions = Array.from({ length: 361 }, (_none, n) => ({
    connection_id,
    probe: 'pg_active_sessions',
    at: now - (360 - n) * 10_000,
    rows: classes.map((wait_event_type, k) => ({
      state: 'active',
      wait_event_type,
      wait_event: wait_event_type && `event ${k}`,
      datname: databases[k % 4] ?? '',
      usename: 'app',
      application_name: 'web',
      client_addr: '10.0.0.1',
      backend_type: 'client backend',
      query_id: null,
      is_rest: false,
      sessions: 1 + ((n + 3 * k) % 5),
    })),
  }));
  await collectedHistory(db, [...runs, ...sessions]);
}

/** `visit`: of somebody who is signed in. */
async function largestPaint(visit: Visit, path: string): Promise<number> {
  const browser = visit.context.browser();
  if (!browser) throw new Error('The browser has gone.');
  const baseURL = new URL(visit.page.url()).origin;
  const { page, context } = await openPage(browser, baseURL, { session: visit.context });
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.goto(path);
  await page.waitForTimeout(SETTLED_MS);
  const painted = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe(
          {
            type: 'largest-contentful-paint',
            buffered: true,
          },
        );
      }),
  );
  await context.close();
  return painted;
}

/** Work of the main thread, from the browser's own account. */
async function busyIn(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  const before = await spent();
  await work();
  const after = await spent();
  await session.detach();
  return after - before;
}

async function measureCharts(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('figure').first().waitFor();
  await page.waitForLoadState('networkidle');
  const figures = await page.getByRole('figure').count();
  const points = await page.evaluate(() =>
    [...document.querySelectorAll('figure path[data-name]')].reduce(
      (sum, path) => sum + (path.getAttribute('d')?.match(/[ML]/g)?.length ?? 0),
      0,
    ),
  );
  const box = await page.getByRole('figure').first().locator('svg').first().boundingBox();
  if (!box) throw new Error(`There is no chart on ${path}`);
  const x = (n: number) => box.x + 60 + ((box.width - 70) * n) / MOVES;
  const y = box.y + box.height / 2;
  const walk = async () => {
    for (let n = 0; n < MOVES; n += 1) await page.mouse.move(x(n), y);
  };
  const about = `${figures} charts, ${points} points`;
  row(`pointer over ${path}, a movement: ${about}`, ms((await busyIn(page, walk)) / MOVES), '≤16 ms');
  await page.mouse.move(x(10), y);
  await page.mouse.down();
  row(`a time is drawn there, a movement`, ms((await busyIn(page, walk)) / MOVES), '≤16 ms');
  await page.keyboard.press('Escape');
  await page.mouse.up();
}

async function measureScrolling(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('table').first().waitFor();
  await page.waitForTimeout(SETTLED_MS);
  const rows = Number(await page.getByRole('table').first().getAttribute('aria-rowcount')) - 1;
  const frames: number[] = [];
  const busy = await busyIn(page, async () => {
    frames.push(
      ...(await page.evaluate(
        (steps) =>
          new Promise<number[]>((resolve) => {
            const gaps: number[] = [];
            let last = performance.now();
            const frame = (now: number) => {
              gaps.push(now - last);
              last = now;
              if (gaps.length > steps) return resolve(gaps.slice(1));
              window.scrollBy(0, 400);
              requestAnimationFrame(frame);
              return undefined;
            };
            requestAnimationFrame(frame);
          }),
        600,
      )),
    );
  });
  row(`${path}, a table of ${rows} rows, is scrolled, between frames p50 / p99`, spread(frames), '16.7 ms');
  row('  main thread, a frame', ms(busy / frames.length));
  row(
    '  frames that came late (over 20 ms)',
    `${frames.filter((gap) => gap > 20).length} of ${frames.length}`,
    '0',
  );
}

/** From the last key until the estate shows what was looked for and nothing else. */
async function measureSearch(page: Page): Promise<void> {
  await page.goto('/');
  const table = page.getByRole('region', { name: 'Servers' });
  await table.getByRole('row').nth(5).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  const field = page.getByLabel('Search servers');
  await field.pressSequentially(`server-${SERVERS - 1}`);
  const began = performance.now();
  await expectOne(table);
  row('the estate is searched, from the last key to the row', ms(performance.now() - began));
}

async function expectOne(table: Locator): Promise<void> {
  const found = table.getByRole('row').filter({ hasText: /server-\d/ });
  for (let n = 0; n < 200; n += 1) {
    if ((await found.count()) === 1) return;
    await table.page().waitForTimeout(10);
  }
  throw new Error('The search of the estate finds no single server.');
}

const servers = await startManyServers(SERVERS);
const browser = await startBrowser();
try {
  const { product, db } = servers;
  await openEngine(db);
  await storeHour(db, 1);
  const visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  await db.rows({
    text: `insert into matriarch.groups (name) select 'team ' || n from generate_series(1, $1::int) n`,
    values: [ROWS],
  });
  const stranger = await openPage(browser, product.url);
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  row('script of /sign-in, gzip, with all that it loads later', kB(await scriptOf(stranger, '/sign-in')));
  for (const path of ['/', '/servers/1', '/servers/1?tab=activity', '/servers/1?tab=load']) {
    const fresh = await openPage(browser, product.url, { session: visit.context });
    row(`script of ${path}, gzip, with all that it loads later`, kB(await scriptOf(fresh, path)));
    await fresh.context.close();
  }
  for (const path of ['/', '/servers/1', '/servers/1?tab=activity']) {
    const paints: number[] = [];
    for (let run = 0; run < RUNS; run += 1) paints.push(await largestPaint(visit, path));
    row(`largest paint of ${path}, ${SLOWER}× slower, p50 / most`, spread(paints), '≤1,500 ms');
  }
  for (const tab of ['activity', 'load']) await measureCharts(visit.page, `/servers/1?tab=${tab}`);
  for (const path of ['/admin/groups', '/']) await measureScrolling(visit.page, path);
  await measureSearch(visit.page);
} finally {
  await browser.close();
  await servers.stop();
}
