// The state of the form: values, what is wrong with them once one tried to send them, and the live test.
import { useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { looksLikeConnection, parseConnection } from '../../../lib/connection-url.ts';
import { changeField, pasteInto, problemsIn, sent, startForm } from './form-state.ts';
import {
  defaultName,
  type Field,
  type FormValues,
  named,
  type Problems,
  testBody,
  testSubject,
  type Verdict,
  verdictOf,
} from './form-values.ts';

/** What became of a pasted text: it was no connection string, could not be used, or fills the form now. */
export type Pasted = 'nothing' | 'refused' | 'taken';

const CONNECTION_FIELDS = ['host', 'port', 'database_name', 'username'] as const;

function useConnectionTest(id: number | undefined) {
  const test = useOperationMutation('testConnection');
  const [subject, setSubject] = useState<string>();
  const run = (values: FormValues) => {
    setSubject(testSubject(values));
    test.mutate({ body: testBody(values, id) });
  };
  return { test, subject, run };
}

export interface FormStart {
  initial: FormValues;
  /** The stored connection that is edited. */
  id?: number | undefined;
  hasPassword?: boolean | undefined;
}

const pick = (problems: Problems, fields: readonly Field[]): Problems =>
  Object.fromEntries(Object.entries(problems).filter(([field]) => fields.some((one) => one === field)));

const SHOWN = { none: ['password'], address: [...CONNECTION_FIELDS, 'password'] } as const;

export function useConnectionForm({ initial, id, hasPassword = false }: FormStart) {
  const [state, setState] = useState(() => startForm(initial, hasPassword));
  const [shown, setShown] = useState<'none' | 'address' | 'all'>('none');
  const [pasteProblem, setPasteProblem] = useState<string>();
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const { test, subject, run } = useConnectionTest(id);
  const { values } = state;
  const all = problemsIn(state);
  const problems = shown === 'all' ? all : pick(all, SHOWN[shown]);
  const outdated = subject !== undefined && subject !== testSubject(values);
  const verdict: Verdict = outdated || test.isPending ? 'untested' : verdictOf(test.data);
  const clusterName = outdated ? undefined : test.data?.cluster_name;

  const change = <K extends Field>(field: K, value: FormValues[K]) =>
    setState((before) => changeField(before, field, value));
  /** Takes a connection string apart. Nothing is sent before somebody asks for it. */
  const paste = (text: string): Pasted => {
    setPasteProblem(undefined);
    setLeftOut([]);
    if (!looksLikeConnection(text)) return 'nothing';
    const parsed = parseConnection(text);
    if ('problem' in parsed) {
      setPasteProblem(parsed.problem);
      return 'refused';
    }
    setLeftOut(parsed.left_out);
    setState((before) => pasteInto(before, parsed.fields));
    return 'taken';
  };
  const tryNow = () => {
    setShown((before) => (before === 'all' ? 'all' : 'address'));
    if (SHOWN.address.some((field) => all[field] !== undefined)) return;
    setState(sent);
    run(values);
  };
  /** What is to be saved; undefined while something is wrong, which is shown then. */
  const check = (): FormValues | undefined => {
    setShown('all');
    if (Object.keys(all).length > 0) return undefined;
    setState(sent);
    return named(values, clusterName);
  };
  const suggestedName = defaultName(values, clusterName);
  return {
    values,
    initialSource: initial.password_source,
    problems,
    pasteProblem,
    leftOut,
    suggestedName,
    change,
    paste,
    check,
    tryNow,
    test,
    outdated,
    verdict,
  };
}

export type ConnectionForm = ReturnType<typeof useConnectionForm>;
