// Blackouts by keyboard: a schedule over a change of the clocks in its zone, seen before it is saved; a blackout made, seen
// in force where it holds, changed and stopped; in every look without faults.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, faultsOfEachLook, openPage, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { draftBlackout, panel, press, stopBlackout, unfold } from './src/steps.ts';

let product: Product;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('plans a schedule over a change of the clocks, and sees what they do before it is saved', async () => {
  const { page } = visit;
  await (await unfold(page, 'Set up')).getByRole('link', { name: 'Silences' }).click();
  await page.getByRole('heading', { name: 'Silences', level: 1 }).waitFor();
  await press(page, 'New schedule');
  const dialog = page.getByRole('dialog', { name: 'New schedule' });
  await dialog.getByLabel('Name').waitFor();
  await page.keyboard.type('Spring upgrades');
  await dialog.getByRole('button', { name: 'Sun' }).press('Enter');
  for (const day of ['Mon', 'Thu']) await dialog.getByRole('button', { name: day }).press('Enter');
  await dialog.getByLabel('From').fill('22:00');
  // Enter sends a form only from its button.
  await dialog.getByLabel('From').press('Enter');
  await dialog.getByLabel('Time zone').fill('Europe/Vienna');
  await dialog.getByLabel('Time zone').press('Enter');
  await dialog.getByText('Every Monday and Thursday at 22:00, for 6 hours, Europe/Vienna').waitFor();
  expect(await faultsOfEachLook(page, 'silence-weekdays')).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.getByLabel('Name').press('Escape');
  const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
  await question.waitFor();
  expect(await faultsOfEachLook(page, 'silence-question')).toEqual([]);
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  await dialog.getByText('Advanced (cron)').click();
  const cron = dialog.getByLabel('Cron expression');
  expect(await cron.inputValue()).toBe('0 22 * * MON,THU');
  await cron.fill('@yearly');
  await dialog.getByText(/"@yearly" is a macro/).waitFor();
  // Each Sunday of March, the last of which has no 02:30 there.
  await cron.fill('30 2 * 3 SUN');
  await dialog.getByLabel('Minutes').fill('120');
  await dialog.getByText('Every Sunday in March at 02:30, for 2 hours, Europe/Vienna').waitFor();
  const next = dialog.getByRole('list', { name: 'Next times' }).getByRole('listitem');
  expect(await next.count()).toBe(5);
  await next
    .filter({ hasText: /There is no 02:30 on \d{4}-03-\d\d: the clocks go from 02:00 to 03:00/ })
    .first()
    .waitFor();
  expect(await faultsOfEachLook(page, 'blackout-schedule-dialog')).toEqual([]);
  await press(page, 'Create the schedule');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Views of silences' }).getByText('Schedules').click();
  await page.getByRole('cell', { name: /Spring upgrades Every Sunday in March at 02:30/ }).waitFor();
  expect(await faultsOfEachLook(page, 'blackout-schedules')).toEqual([]);
});

it('makes a blackout of a server, sees it where it holds, extends and stops it', async () => {
  const { page } = visit;
  const dialog = await draftBlackout(page, 'Minor upgrade.');
  expect(await accessibilityFaults(page)).toEqual([]);
  await press(page, 'Create the silence');
  await dialog.waitFor({ state: 'detached' });
  const inForce = panel(page, 'In force');
  await inForce.getByText('Minor upgrade.').waitFor();
  expect(await faultsOfEachLook(page, 'blackouts')).toEqual([]);

  await page.goto('/servers/1');
  await page.getByText(/^Silenced until .*Minor upgrade\./).waitFor();
  await page.goto('/blackouts?tab=calendar');
  await page
    .getByRole('region', { name: 'Days of the month' })
    .getByText(/, in force$/)
    .first()
    .waitFor({ state: 'attached' });
  expect(await faultsOfEachLook(page, 'blackouts-calendar')).toEqual([]);
  await page.goto('/blackouts?tab=clusters');
  const row = page.getByRole('region', { name: 'Clusters by day' }).getByRole('row').nth(1);
  await row
    .getByText(/, in force/)
    .first()
    .waitFor({ state: 'attached' });
  expect(await faultsOfEachLook(page, 'blackouts-by-cluster')).toEqual([]);

  await page.goto('/blackouts');
  await inForce.getByRole('button', { name: /^Change the silence of/ }).press('Enter');
  const change = page.getByRole('dialog', { name: 'Change the silence' });
  await change.getByRole('button', { name: '30 min' }).press('Enter');
  await change.getByRole('button', { name: 'Save' }).press('Enter');
  await change.waitFor({ state: 'detached' });
  await stopBlackout(page);
  await page.getByRole('region', { name: 'Past' }).getByText('Minor upgrade.').waitFor();
  const events = await page.request.get('/api/v1/timeline/events', {
    params: {
      start_time: new Date(Date.now() - 86_400_000).toISOString(),
      end_time: new Date(Date.now() + 60_000).toISOString(),
      event_types: 'blackout_started,blackout_ended',
    },
  });
  const told: { events: { event_type: string }[] } = await events.json();
  expect(told.events.map(({ event_type }) => event_type)).toEqual(['blackout_ended', 'blackout_started']);
  expect(visit.faults).toEqual([]);
});
