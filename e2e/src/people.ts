// What a person does again and again: opening the one-time link, setting a password, signing in.
import type { Page } from 'playwright-core';

export const PASSWORD = 'staple giraffe orbit';

/** Opens the link of the first start and sets a password; ends on the estate. */
export async function settleIn(page: Page, adminLink: string): Promise<void> {
  await page.goto(adminLink);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and continue' }).click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
}

export async function signIn(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
