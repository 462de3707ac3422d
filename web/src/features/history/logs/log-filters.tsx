// What is looked for in the events of a log; it is part of the address, so that a link shows the same.
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { ticked } from '../../../ui/field.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { useTyped } from '../../../ui/use-typed.ts';
import classes from './logs.module.css';

const TYPED_MS = 300;
const SEVERITIES = ['PANIC', 'FATAL', 'ERROR', 'WARNING', 'NOTICE', 'INFO', 'LOG', 'DEBUG'] as const;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const LONGEST_NAME = 63;

const NAMES = [
  'search',
  'severity',
  'sqlstate',
  'database',
  'user',
  'application',
  'process',
  'queryid',
  'important',
  'class',
] as const;
const PROCESS = /^\d{1,10}$/;
const QUERYID = /^-?\d{1,19}$/;
const CLASSES = /^[a-z0-9_]+(,[a-z0-9_]+)*$/;
type Name = (typeof NAMES)[number];

interface Texts {
  of: (name: Name) => string;
  set: (changed: Partial<Record<Name, string>>) => void;
  /** Only what matters is shown. */
  isImportant: boolean;
  setImportant: (isImportant: boolean) => void;
}

/** As a person saves it, and as the server is asked. */
export type LogFilter = OperationTypes['listLogSearches']['result']['searches'][number]['filter'];

export interface LogFilterState extends Texts {
  /** As the server is asked, once one has stopped typing. */
  wanted: LogFilter;
  isNarrowed: boolean;
  /** Shows all again, of all classes. */
  clear: () => void;
  /** Sets all of them to those of a saved search. */
  show: (filter: LogFilter) => void;
}

const stateOf = (sqlstate: string) => sqlstate.trim().toUpperCase();

const EMPTY = Object.fromEntries(NAMES.map((name) => [name, '']));

/** Where what matters is shown unless one asks for all, `important=no` asks. */
export function useLogFilters({ isImportantFirst = false } = {}): LogFilterState {
  const [of, set] = useUrlTexts(NAMES);
  const [search] = useDebouncedValue(of('search').trim(), TYPED_MS);
  const [database] = useDebouncedValue(of('database').trim(), TYPED_MS);
  const [user] = useDebouncedValue(of('user').trim(), TYPED_MS);
  const [application] = useDebouncedValue(of('application').trim(), TYPED_MS);
  const [process] = useDebouncedValue(of('process').trim(), TYPED_MS);
  const [queryid] = useDebouncedValue(of('queryid').trim(), TYPED_MS);
  const severity = SEVERITIES.find((one) => one === of('severity'));
  const sqlstate = stateOf(of('sqlstate'));
  const isImportant = of('important') === (isImportantFirst ? '' : 'yes');
  const importance = (isWanted: boolean) => (isWanted === isImportantFirst ? '' : isWanted ? 'yes' : 'no');
  const narrowed: LogFilter = {
    ...(search !== '' && { search }),
    ...(severity && { severity }),
    ...(SQLSTATE.test(sqlstate) && { sqlstate }),
    ...(database !== '' && { database_name: database }),
    ...(user !== '' && { user_name: user }),
    ...(application !== '' && { application_name: application }),
    ...(PROCESS.test(process) && { process_id: process }),
    ...(QUERYID.test(queryid) && { queryid }),
    ...(CLASSES.test(of('class')) && { class: of('class') }),
  };
  return {
    ...{ of, set, isImportant },
    setImportant: (isWanted) => set({ important: importance(isWanted) }),
    wanted: { ...narrowed, ...(isImportant && { important: true }) },
    isNarrowed: Object.keys(narrowed).length > 0 || (isImportant && !isImportantFirst),
    clear: () => set(EMPTY),
    show: ({ database_name, user_name, application_name, process_id, important, ...others }) =>
      set({
        ...EMPTY,
        ...others,
        database: database_name ?? '',
        user: user_name ?? '',
        application: application_name ?? '',
        process: process_id ?? '',
        important: importance(important === true),
      }),
  };
}

const TYPED = [
  ['database', 'Database', LONGEST_NAME],
  ['user', 'User', LONGEST_NAME],
  ['application', 'Application', LONGEST_NAME],
  ['process', 'PID', 10],
  ['queryid', 'Query ID', 20],
] as const;

interface FieldProps {
  label: string;
  longest: number;
  className: string | undefined;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Field({ label, longest, value, onChange, ...field }: FieldProps) {
  const { set: _set, ...text } = useTyped(value, onChange);
  return <TextInput aria-label={label} placeholder={label} maxLength={longest} {...field} {...text} />;
}

export function LogFilters({ of, set, isImportant, setImportant }: Texts) {
  const faults: Partial<Record<Name, string>> = {
    ...(of('process') !== '' &&
      !PROCESS.test(of('process').trim()) && { process: 'A number, such as 30444.' }),
    ...(of('queryid') !== '' &&
      !QUERYID.test(of('queryid').trim()) && { queryid: 'A number, which may be negative.' }),
  };
  const isSet = of('sqlstate') !== '' || TYPED.some(([name]) => of(name) !== '');
  const [isOpen, setOpen] = useState(isSet);
  // What is set is seen, and stays when one empties it to type something else.
  if (isSet && !isOpen) setOpen(true);
  const isState = of('sqlstate') === '' || SQLSTATE.test(stateOf(of('sqlstate')));
  return (
    <search className={classes.filters} aria-label="Filters of events">
      <SearchField label="Search in texts" value={of('search')} onChange={(search) => set({ search })} />
      <NativeSelect
        aria-label="Severity"
        data={[{ value: '', label: 'All severities' }, ...SEVERITIES]}
        value={of('severity')}
        onChange={(event) => set({ severity: event.target.value })}
      />
      {isSet ? null : (
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
      )}
      <Checkbox
        className={classes.ticked}
        label="Only events that matter"
        {...ticked(isImportant, setImportant)}
      />
      {isOpen ? (
        <div className={classes.more}>
          <Field
            label="SQLSTATE"
            longest={5}
            className={classes.typed}
            value={of('sqlstate')}
            error={isState ? undefined : 'Five characters, such as 40P01.'}
            onChange={(sqlstate) => set({ sqlstate })}
          />
          {TYPED.map(([name, label, longest]) => (
            <Field
              key={name}
              {...{ label, longest }}
              className={classes.typed}
              value={of(name)}
              error={faults[name]}
              onChange={(text) => set({ [name]: text })}
            />
          ))}
        </div>
      ) : null}
    </search>
  );
}
