import { expect, it } from 'vitest';
import { testSettings } from '../testing/servers/target.ts';
import { withStartupLimits } from './startup-limits.ts';
import { TargetError } from './target-error.ts';

const refusal = (code: string) => new TargetError({ step: 'sign_in', message: code, code });

/** Opens a session on what answers each try with the next of these codes; answers with what the tries asked for. */
async function tries(host: string, codes: readonly string[]): Promise<unknown[]> {
  const asked: unknown[] = [];
  const open = async ({ startup_options }: { startup_options?: string | undefined }) => {
    asked.push(startup_options);
    const code = codes[asked.length - 1];
    if (code !== undefined) throw refusal(code);
    return { onLost: () => undefined };
  };
  const settings = testSettings({ host, port: 5432, superuser: 'mon', password: '' });
  await withStartupLimits(settings, open).catch((error: TargetError) => asked.push(error.code));
  return asked;
}

it('lifts a limit once it has struck, from then on in every session, and asks without where a pooler refuses that', async () => {
  expect(await tries('calm', [])).toEqual([undefined]);
  expect(await tries('hasty', ['57014', '25P04'])).toEqual([
    undefined,
    '-c statement_timeout=0',
    '-c statement_timeout=0 -c transaction_timeout=0',
  ]);
  const both = '-c statement_timeout=0 -c transaction_timeout=0';
  expect(await tries('hasty', [])).toEqual([both]);
  expect(await tries('hasty', ['08P01'])).toEqual([both, undefined]);
  expect(await tries('hasty', [])).toEqual([undefined]);
});

it('says what it was refused with first where lifting does not help', async () => {
  expect(await tries('pooled', ['57P05', '08P01'])).toEqual([
    undefined,
    '-c idle_session_timeout=0',
    '57P05',
  ]);
  expect(await tries('stuck', ['57014', '57014'])).toEqual([undefined, '-c statement_timeout=0', '57014']);
  expect(await tries('wrong', ['28P01'])).toEqual([undefined, '28P01']);
});
