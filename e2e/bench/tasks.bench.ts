// What a person who opens the product in trouble needs, by real clicks on a real server: how many clicks and how long until the answer
// is on the screen, and what its two first pages cost a browser. Prints figures beside what is to be reached; ends with 1 where an
// answer never came.
// Run: npm run bench -- tasks [costs]; with `costs` the pages alone
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { cutText } from '../../server/src/kernel/inert-text.ts';
import { startHttpPeer } from '../../server/src/testing/channels/http-peer.ts';
import { openClient, type TestClient } from '../../server/src/testing/servers/client.ts';
import { type Product, startProduct } from '../src/app.ts';
import { startBrowser } from '../src/browser.ts';
import { type OwnServer, startOwnServer } from '../src/own-server.ts';
import { openPage, type Visit } from '../src/pages.ts';
import { settleIn } from '../src/people.ts';
import { addConnection, placeOf } from '../src/watched.ts';

const SLOWER = 4;
const SETTLED_MS = 10_000;
/** From its third visit on a browser keeps the code as it has compiled it. */
const VISITS = 4;
const MINUTE_MS = 60_000;
/** How long after a lock wait a person asks what was five minutes ago. */
const EARLIER_MS = 5 * MINUTE_MS;
const SLOW_AFTER_MS = 2 * MINUTE_MS;

const print = (line: string) => process.stdout.write(`${line}\n`);
const row = (what: string, figure: string, wanted: string) =>
  print(`${what.padEnd(62)}${figure.padStart(26)}  ${wanted}`);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;

/** One click each, then what has to be on the screen. */
interface Task {
  what: string;
  wanted: string;
  from: string;
  clicks: ((page: Page) => Locator)[];
  answer: (page: Page) => Locator;
}

async function play(visit: Visit, { what, wanted, from, clicks, answer }: Task): Promise<boolean> {
  const { page } = visit;
  await page.goto(from);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForTimeout(3000);
  const began = performance.now();
  try {
    for (const click of clicks) await click(page).first().click({ timeout: 30_000 });
    await answer(page).first().waitFor({ timeout: 30_000 });
    row(what, `${clicks.length} × click, ${seconds(performance.now() - began)}`, wanted);
    return true;
  } catch (error) {
    row(what, 'no answer in 30 s', wanted);
    print(cutText(String(error), 600));
    return false;
  }
}

interface Cost {
  /** When the largest paint was, with a processor four times slower. */
  paint: number;
  /** The sum of what moved without anyone's doing. */
  shift: number;
  /** With what is fetched ahead, in ten seconds. */
  requests: number;
  /** On the wire until the largest paint, and in ten seconds. */
  first: number;
  bytes: number;
}

/** Entries of the page's own clock, of one kind. */
const entriesOf = (page: Page, type: string) =>
  page.evaluate(
    (wanted) =>
      new Promise<{ at: number; value: number }[]>((resolve) => {
        const plain = (entry: PerformanceEntry) => ({
          at: performance.timeOrigin + entry.startTime,
          value: Number(Reflect.get(entry, 'value')),
        });
        new PerformanceObserver((list) => resolve(list.getEntries().map(plain))).observe({
          type: wanted,
          buffered: true,
        });
        window.setTimeout(() => resolve([]), 1000);
      }),
    type,
  );

/** Nothing is asked of the page until it is over: to look for a heading takes the processor that is measured. */
async function costOf({ page, context }: Pick<Visit, 'page' | 'context'>, path: string): Promise<Cost> {
  const wire = await context.newCDPSession(page);
  await wire.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await wire.send('Network.enable');
  const sent: { at: number; bytes: number }[] = [];
  let requests = 0;
  wire.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
    sent.push({ at: Date.now(), bytes: encodedDataLength });
  });
  await page.goto(path);
  // A page that follows its servers never rests: what it needs first, and what it fetches ahead, is there by then.
  await page.waitForTimeout(SETTLED_MS);
  await wire.detach();
  const painted = (await entriesOf(page, 'largest-contentful-paint')).at(-1)?.at ?? Number.NaN;
  const moved = await entriesOf(page, 'layout-shift');
  const origin = await page.evaluate(() => performance.timeOrigin);
  const sum = (some: typeof sent) => some.reduce((total, { bytes }) => total + bytes, 0);
  return {
    paint: painted - origin,
    shift: moved.reduce((total, { value }) => total + value, 0),
    requests,
    first: sum(sent.filter(({ at }) => at <= painted)),
    bytes: sum(sent),
  };
}

/** Of a browser that has nothing of the pages yet, and what the largest paint is where it comes again. */
async function printCosts(browser: Browser, visit: Visit, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const newcomer = await openPage(browser, new URL(visit.page.url()).origin, { session: visit.context });
    const { paint, shift, requests, first, bytes } = await costOf(newcomer, path);
    const again: number[] = [];
    for (let n = 1; n < VISITS; n += 1) {
      await newcomer.page.goto('about:blank');
      again.push((await costOf(newcomer, path)).paint);
    }
    await newcomer.context.close();
    row(`${path}: largest paint, ${SLOWER}× slower`, seconds(paint), '≤1.2 s');
    row(`${path}: the same where the browser was here before`, again.map(seconds).join(', '), '≤1.2 s');
    row(`${path}: layout shift`, shift.toFixed(3), '≤0.050');
    row(`${path}: requests in 10 s, with what is fetched ahead`, String(requests), '≤60');
    row(`${path}: sent before first use, to a browser that has nothing`, kB(first), '≤250 kB');
    row(`${path}: sent in 10 s, with what is fetched ahead`, kB(bytes), '');
  }
}

const SETUP = [
  'create extension pg_stat_statements',
  'create table customer (id int primary key, name text, town text, note text)',
  `insert into customer select n, n::text, (n % 5000)::text, repeat('x', 200) from generate_series(1, 60000) n`,
  'create index customer_town on customer (town)',
  'create table sales (id bigint primary key, amount numeric) with (autovacuum_enabled = off)',
  'insert into sales select n, n from generate_series(1, 200000) n',
  'create sequence ticket as integer',
  `select setval('ticket', 1932735283)`,
  'vacuum analyze',
  'grant select on all sequences in schema public to matriarch_monitor',
];

/** Statements of a shop, one after another, until it is ended, or the server goes. */
async function shop(own: OwnServer): Promise<() => Promise<void>> {
  const client = await openClient(own.cluster, 'shop-web');
  let isOpen = true;
  const work = (async () => {
    for (let n = 0; isOpen; n += 1) {
      await client.query(`select count(*) from customer where town = '${n % 5000}'`);
      await client.query(`update sales set amount = amount + 1 where id = ${1 + (n % 150_000)}`);
      await setTimeout(10);
    }
  })().catch(() => undefined);
  return async () => {
    isOpen = false;
    await work;
    await client.end();
  };
}

/** A session that holds a row, and two that wait for it. */
async function convoy(own: OwnServer): Promise<{ holder: TestClient; release: () => Promise<void> }> {
  const [holder, ...waiters] = await Promise.all(
    ['payroll-import', 'checkout', 'checkout'].map((name) => openClient(own.cluster, name)),
  );
  if (!holder) throw new Error('There is no session that holds the row.');
  await holder.query('begin');
  await holder.query('update sales set amount = 0 where id = 199999');
  const waiting = waiters.map((waiter) => waiter.begin('update sales set amount = 1 where id = 199999'));
  return {
    holder,
    release: async () => {
      await holder.query('rollback');
      await Promise.all(waiting);
      await Promise.all([holder, ...waiters].map((one) => one.end()));
    },
  };
}

const link = (name: string | RegExp) => (page: Page) => page.getByRole('link', { name });
const tab = (name: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Parts of the server' }).getByRole('link', { name, exact: true });

async function untilMessage(peer: { requests: readonly { at: number; body: string }[] }, since: number) {
  for (let n = 0; n < 200; n += 1) {
    const found = peer.requests.find(({ body }) => /lock wait/i.test(body));
    if (found) return found.at - since;
    await setTimeout(1000);
  }
  return Number.NaN;
}

interface Scene {
  visit: Visit;
  own: OwnServer;
  peer: Awaited<ReturnType<typeof startHttpPeer>>;
  server: string;
}

async function playTasks({ visit, own, peer, server }: Scene): Promise<boolean[]> {
  const results: boolean[] = [];
  const began = Date.now();
  const { holder, release } = await convoy(own);
  await setTimeout(12_000);
  const root = (page: Page) => page.getByText(`Process ${holder.pid}`).first();
  results.push(
    await play(visit, {
      what: 'who blocks whom',
      wanted: '1 click, ≤5 s',
      from: server,
      clicks: [link('Lock waits')],
      answer: root,
    }),
  );
  row('a lock wait until its message', seconds(await untilMessage(peer, began)), '≤45 s, threshold 30 s');
  await release();
  results.push(
    await play(visit, {
      what: 'what runs out',
      wanted: '1 click',
      from: '/',
      clicks: [link('Runway')],
      answer: (page) => page.getByRole('row').filter({ hasText: 'ticket' }),
    }),
  );
  const held = Date.now();
  await setTimeout(Math.max(0, EARLIER_MS - (held - began) + 30_000));
  results.push(
    await play(visit, {
      what: 'who blocked whom five minutes ago',
      wanted: '2 clicks',
      from: server,
      clicks: [tab('Locks'), (page) => page.getByRole('button', { name: '5 min earlier' })],
      answer: root,
    }),
  );
  results.push(
    await play(visit, {
      what: 'which table bloats',
      wanted: '2 clicks',
      from: server,
      clicks: [tab('Tables')],
      answer: (page) => page.getByRole('row').filter({ hasText: 'sales' }),
    }),
  );
  await own.cluster.query('drop index customer_town');
  const dropped = Date.now();
  await setTimeout(60_000);
  results.push(
    await play(visit, {
      what: 'what got slower since an index was dropped',
      wanted: '2 clicks, ≤2 min after',
      from: server,
      clicks: [tab('Queries'), (page) => page.getByRole('button', { name: 'Last 5m' })],
      answer: (page) =>
        page
          .getByRole('row')
          .filter({ hasText: 'customer' })
          .filter({ hasText: /×(?:[5-9]|\d{2,})/ }),
    }),
  );
  row('  from the drop to that answer', seconds(Date.now() - dropped), `≤${seconds(SLOW_AFTER_MS)}`);
  return results;
}

async function playAll(product: Product, browser: Browser, own: OwnServer): Promise<boolean> {
  const visit = await openPage(browser, product.url);
  const peer = await startHttpPeer();
  const results: boolean[] = [];
  try {
    await settleIn(visit.page, product.adminLink);
    for (const text of SETUP) await own.cluster.query(text);
    const end = await shop(own);
    const { request } = visit.context;
    await request.post('/api/v1/notification-channels', {
      data: { channel_type: 'webhook', name: 'On call', endpoint_url: peer.url, is_estate_default: true },
    });
    const id = await addConnection(request, { ...placeOf(own), name: 'shop', is_monitored: true });
    const server = `/servers/${id}`;
    // What else is wrong is sent first, and a channel sends one message a minute.
    await setTimeout(90_000);

    if (process.argv[2] !== 'costs') results.push(...(await playTasks({ visit, own, peer, server })));
    await printCosts(browser, visit, ['/', server]);
    await end();
  } finally {
    await peer.stop();
  }
  return results.every(Boolean);
}

const [product, browser, own] = await Promise.all([
  startProduct('--channels-allow-private-networks'),
  startBrowser(),
  startOwnServer(),
]);
try {
  if (!(await playAll(product, browser, own))) process.exitCode = 1;
} finally {
  await browser.close();
  await product.stop();
  await own.stop();
}
