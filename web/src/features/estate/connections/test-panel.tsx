// The live test: each step with what was found or what failed and what to do, then the script for a role that may
// read statistics and nothing else.
import { Button, Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { TestStep } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { formatMilliseconds } from '../../../lib/format.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { RetryIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { type Mark, Status } from '../../../ui/status.tsx';
import classes from './test-panel.module.css';
import type { ConnectionForm } from './use-connection-form.ts';

const STEPS = [
  { step: 'resolve', title: 'Find the host' },
  { step: 'connect', title: 'Reach the port' },
  { step: 'tls', title: 'Encrypt' },
  { step: 'sign_in', title: 'Sign in' },
  { step: 'version', title: 'Version' },
  { step: 'rights', title: 'Rights' },
  { step: 'extensions', title: 'Extensions' },
] as const satisfies readonly { step: TestStep['step']; title: string }[];

const RESULTS: Record<TestStep['status'], { mark: Mark; label: string }> = {
  ok: { mark: 'ok', label: 'ok' },
  warning: { mark: 'warning', label: 'could be better' },
  failed: { mark: 'failed', label: 'failed' },
  skipped: { mark: 'skipped', label: 'not tried' },
};

function Step({ title, result }: { title: string; result: TestStep | undefined }) {
  const words = result ? RESULTS[result.status] : undefined;
  return (
    <li className={classes.step} data-status={result?.status ?? 'open'}>
      <span className={classes.mark}>
        {words ? (
          <Status mark={words.mark} label={words.label} iconOnly size={17} />
        ) : (
          <span className={classes.open} />
        )}
      </span>
      <div className={classes.words}>
        <div className={classes.line}>
          <span className={classes.title}>{title}</span>
          {result && result.status !== 'skipped' ? (
            <span className={classes.took}>
              {result.status === 'ok' ? null : `${RESULTS[result.status].label} · `}
              {formatMilliseconds(result.took_ms)}
            </span>
          ) : null}
        </div>
        {result && result.message !== '' ? <p className={classes.message}>{result.message}</p> : null}
      </div>
    </li>
  );
}

function summaryOf(form: ConnectionForm): string {
  if (form.test.isPending) return 'Trying…';
  if (form.outdated) return 'The fields changed since this test';
  if (form.test.error) return 'The test did not run';
  return {
    untested: 'Nothing is saved by a test',
    ok: 'Ready to be monitored',
    warnings: 'Can be monitored, with gaps',
    failed: 'Cannot be monitored like this',
  }[form.verdict];
}

export function TestPanel({ form }: { form: ConnectionForm }) {
  const { test } = form;
  const results = test.isPending ? undefined : test.data?.steps;
  return (
    <div className={layout.stack}>
      <Panel
        title="Test"
        note={<span aria-live="polite">{summaryOf(form)}</span>}
        actions={
          <Button
            size="xs"
            variant="default"
            leftSection={test.isPending ? <Loader size={13} color="currentColor" /> : <RetryIcon size={14} />}
            onClick={form.tryNow}
            disabled={test.isPending}
          >
            {test.data ? 'Test again' : 'Test the connection'}
          </Button>
        }
      >
        <FormError error={test.error} />
        <ol className={classes.steps} data-outdated={form.outdated || undefined} aria-busy={test.isPending}>
          {STEPS.map(({ step, title }) => (
            <Step key={step} title={title} result={results?.find((result) => result.step === step)} />
          ))}
        </ol>
      </Panel>
      <RoleScript form={form} tested={test.data?.monitoring_script} />
    </div>
  );
}

/** The script is there before the first test; a test brings one made for the server it found. */
function RoleScript({ form, tested }: { form: ConnectionForm; tested: string | undefined }) {
  const { username, database_name } = form.values;
  const [named] = useDebouncedValue({ username: username.trim(), database_name: database_name.trim() }, 400);
  const query = {
    ...(named.username !== '' && { username: named.username }),
    ...(named.database_name !== '' && { database_name: named.database_name }),
  };
  const general = useOperation(
    'getMonitoringScript',
    { query },
    { enabled: tested === undefined, keepPrevious: true },
  );
  const script = tested ?? general.data?.monitoring_script;
  if (!script) return null;
  return (
    <Panel title="Read-only monitoring role" note="least privilege for monitoring">
      <p className={classes.remark}>
        Run this once as a superuser of the server and give the role a password (
        <code>\password {username.trim() || 'matriarch_monitor'}</code> in psql); then sign in with the new
        role and test. Without it Matriarch shows what your present role can see.
      </p>
      <CodeBlock code={script} label="SQL" fileName="matriarch-monitoring-role.sql" />
    </Panel>
  );
}
