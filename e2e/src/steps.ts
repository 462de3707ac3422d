// What several journeys do on the way: finding a row or a part of a page, opening an editor, keeping a server quiet,
// adding to a group.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const rowOf = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
export const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
export const navigation = (page: Page): Locator =>
  page.getByRole('navigation', { name: 'Pages and servers' });
/** A finding in the list that is open, by what it is about. */
export const findingOf = (page: Page, name: string): Locator =>
  page.getByRole('table', { name: 'Findings, the worst first' }).getByRole('link', { name });

/** Opens a folded group of the navigation; answers the navigation that it is in. */
export async function unfold(page: Page, group: 'Set up' | 'Admin'): Promise<Locator> {
  const around =
    group === 'Admin' ? page.getByRole('navigation', { name: 'Administration' }) : navigation(page);
  const fold = around.getByRole('button', { name: group, exact: true });
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.press('Enter');
  return around;
}

/** Opens a page of administration by the navigation. */
export async function goTo(page: Page, title: string): Promise<void> {
  await (await unfold(page, 'Admin')).getByRole('link', { name: title }).click();
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
}

/** Reaches a button with the keyboard's focus and presses it. */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
}

/** Opens the dialog in which a probe or a rule is changed. */
export async function openEditor(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: `Change ${name}`, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Change ${name}` });
  await dialog.waitFor();
  return dialog;
}

/** Shows an alert rule as it is for one server; answers its row. */
export async function findRule(
  page: Page,
  server: { id: number; name: string },
  rule: string,
): Promise<Locator> {
  await (await unfold(page, 'Set up')).getByRole('link', { name: 'Alert rules' }).press('Enter');
  await page.getByRole('heading', { name: 'Alert rules', level: 1 }).waitFor();
  await page.getByLabel('For', { exact: true }).selectOption({ label: 'A server' });
  const choice = page.getByLabel('Server', { exact: true });
  await choice.selectOption({ label: server.name });
  // The list before has the same rules with the same defaults.
  await expect.poll(() => choice.inputValue()).toBe(String(server.id));
  await page.getByLabel('Search rules').fill(rule);
  return rowOf(page, rule);
}

/** Fills in a blackout of the first server for two hours, and leaves the dialog open. */
export async function draftBlackout(page: Page, reason: string): Promise<Locator> {
  await page.goto('/blackouts?server=1');
  await page.getByText('Nothing is silenced now.').waitFor();
  await press(page, 'New silence');
  const dialog = page.getByRole('dialog', { name: 'New silence' });
  await expect.poll(() => dialog.getByLabel('Server').inputValue()).toBe('1');
  await press(page, '2 h');
  await dialog.getByLabel('Reason').fill(reason);
  return dialog;
}

/** Stops the blackout that is in force. */
export async function stopBlackout(page: Page): Promise<void> {
  await panel(page, 'In force')
    .getByRole('button', { name: /^Stop the silence of/ })
    .press('Enter');
  // The dialog that opens takes the focus: it is given and used at once.
  await page.getByRole('button', { name: 'Stop it now', exact: true }).press('Enter');
  await page.getByText('Nothing is silenced now.').waitFor();
}

/** Adds a group, and opens it. */
export async function addGroup(page: Page, name: string): Promise<void> {
  await goTo(page, 'Groups');
  await page.getByRole('button', { name: 'Add a group' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Adds a user or a group to the group that is open, without waiting for what comes of it. */
export async function addMember(page: Page, name: string): Promise<void> {
  const members = panel(page, 'Members');
  await members.getByLabel('Find a user or group').first().fill(name);
  await members.getByRole('button', { name: `Add ${name}` }).click();
}

/** Grants a server to the group that is open, to be read. */
export async function grantServer(page: Page, name: string): Promise<void> {
  const servers = panel(page, 'Servers');
  await servers.getByRole('button', { name: `Grant ${name}` }).click();
  await servers.getByLabel(`Level on ${name}`).waitFor();
}

/** Chooses from the menu of a cluster or a server. */
export async function changeByMenu(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Change ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Makes a group for clusters, with nothing in it. */
export async function makeClusterGroup(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog', { name: 'New group' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await panel(page, name).getByText('No cluster is in it').waitFor();
}
