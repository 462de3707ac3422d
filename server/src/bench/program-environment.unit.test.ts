import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { programEnvironment, programFile, programFlags } from './program-environment.ts';

const handOver = new URL('../../../scripts/lib/hand-over.mjs', import.meta.url).href;
const script = `import(${JSON.stringify(handOver)}).then(({ handOver }) =>
  handOver(['-p', 'process.env.MALLOC_ARENA_MAX + process.env.MALLOC_TRIM_THRESHOLD_ + process.execArgv.slice(0, -2)']))`;
const startedWith = (env: NodeJS.ProcessEnv) =>
  execFileSync(process.execPath, ['-e', script], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  }).trim();

it('is what the scripts hand over to the program, and keeps what somebody has set', async () => {
  const { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_ } = await programEnvironment();
  const flags = (await programFlags()).join();
  expect(flags).toContain('--max-semi-space-size=');
  expect(startedWith({})).toBe(`${MALLOC_ARENA_MAX}${MALLOC_TRIM_THRESHOLD_}${flags}`);
  expect(Number(MALLOC_TRIM_THRESHOLD_)).toBeGreaterThan(0);
  expect(startedWith({ MALLOC_ARENA_MAX: '7' })).toBe(`7${MALLOC_TRIM_THRESHOLD_}${flags}`);
});

it('is nothing of ours for a copy that sets nothing', async () => {
  expect(await programEnvironment('/nowhere')).toBe(process.env);
  expect(await programFlags('/nowhere')).toEqual([]);
});

it('runs what the scripts build, where a copy has them', async () => {
  expect(await programFile()).toMatch(/server\/dist\/main\.mjs$/);
  expect(await programFile('/nowhere')).toBe('/nowhere/server/src/main.ts');
});
