// The state of the form: values, what is wrong with them once one tried to send them, and the live test.
import { useState } from 'react';
import { useOperationMutation } from '../../api/use-operation.ts';
import { looksLikeConnection, parseConnection } from '../../lib/connection-url.ts';
import {
  type Field,
  type FormValues,
  type Problems,
  problemsOf,
  testBody,
  testSubject,
  type Verdict,
  verdictOf,
  withPasted,
} from './form-values.ts';

/** What became of a pasted text: it was no connection string, could not be used, or fills the form now. */
export type Pasted = 'nothing' | 'refused' | 'taken';

const CONNECTION_FIELDS: readonly Field[] = ['host', 'port', 'database_name', 'username'];

function useConnectionTest(id: number | undefined) {
  const test = useOperationMutation('testConnection');
  const [subject, setSubject] = useState<string>();
  const run = (values: FormValues) => {
    setSubject(testSubject(values));
    test.mutate({ body: testBody(values, id) });
  };
  return { test, subject, run };
}

export function useConnectionForm(initial: FormValues, id?: number) {
  const [values, setValues] = useState(initial);
  const [shown, setShown] = useState<'none' | 'place' | 'all'>('none');
  const [pasteProblem, setPasteProblem] = useState<string>();
  const { test, subject, run } = useConnectionTest(id);
  const all = problemsOf(values);
  const placeWrong = CONNECTION_FIELDS.some((field) => all[field] !== undefined);
  const problems: Problems =
    shown === 'all'
      ? all
      : shown === 'place'
        ? Object.fromEntries(
            Object.entries(all).filter(([field]) => CONNECTION_FIELDS.some((one) => one === field)),
          )
        : {};
  const outdated = subject !== undefined && subject !== testSubject(values);
  const verdict: Verdict = outdated || test.isPending ? 'untested' : verdictOf(test.data);

  const change = <K extends Field>(field: K, value: FormValues[K]) =>
    setValues((before) => ({ ...before, [field]: value }));
  /** Takes a connection string apart and tries it at once when it is complete. */
  const paste = (text: string): Pasted => {
    setPasteProblem(undefined);
    if (!looksLikeConnection(text)) return 'nothing';
    const parsed = parseConnection(text);
    if ('problem' in parsed) {
      setPasteProblem(parsed.problem);
      return 'refused';
    }
    const next = withPasted(values, parsed.fields);
    setValues(next);
    const wrong = problemsOf(next);
    if (!CONNECTION_FIELDS.some((field) => wrong[field] !== undefined)) run(next);
    return 'taken';
  };
  const tryNow = () => {
    setShown((before) => (before === 'all' ? 'all' : 'place'));
    if (!placeWrong) run(values);
  };
  /** Shows what is wrong, if anything is; true when the values can be sent. */
  const check = (): boolean => {
    setShown('all');
    return Object.keys(all).length === 0;
  };
  return { values, problems, pasteProblem, change, paste, check, tryNow, test, outdated, verdict };
}

export type ConnectionForm = ReturnType<typeof useConnectionForm>;
