// What is looked for in the events of a log; it is part of the address, so that a link shows the same.
import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import classes from './logs.module.css';

const TYPED_MS = 300;
const SEVERITIES = ['PANIC', 'FATAL', 'ERROR', 'WARNING', 'NOTICE', 'INFO', 'LOG', 'DEBUG'] as const;
type Severity = (typeof SEVERITIES)[number];
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
] as const;
const PROCESS = /^\d{1,10}$/;
const QUERYID = /^-?\d{1,19}$/;
type Name = (typeof NAMES)[number];

interface Texts {
  of: (name: Name) => string;
  set: (changed: Partial<Record<Name, string>>) => void;
}

export interface LogEventsFilter {
  search?: string;
  severity?: Severity;
  sqlstate?: string;
  database_name?: string;
  user_name?: string;
  application_name?: string;
  process_id?: string;
  queryid?: string;
}

export interface LogFilterState extends Texts {
  /** As the server is asked, once one has stopped typing. */
  wanted: LogEventsFilter;
  isNarrowed: boolean;
  /** Shows all again, of all classes. */
  clear: () => void;
}

const stateOf = (sqlstate: string) => sqlstate.trim().toUpperCase();

export function useLogFilters(): LogFilterState {
  const [of, set] = useUrlTexts([...NAMES, 'class']);
  const [search] = useDebouncedValue(of('search').trim(), TYPED_MS);
  const [database] = useDebouncedValue(of('database').trim(), TYPED_MS);
  const [user] = useDebouncedValue(of('user').trim(), TYPED_MS);
  const [application] = useDebouncedValue(of('application').trim(), TYPED_MS);
  const [process] = useDebouncedValue(of('process').trim(), TYPED_MS);
  const [queryid] = useDebouncedValue(of('queryid').trim(), TYPED_MS);
  const severity = SEVERITIES.find((one) => one === of('severity'));
  const sqlstate = stateOf(of('sqlstate'));
  const wanted = {
    ...(search !== '' && { search }),
    ...(severity && { severity }),
    ...(SQLSTATE.test(sqlstate) && { sqlstate }),
    ...(database !== '' && { database_name: database }),
    ...(user !== '' && { user_name: user }),
    ...(application !== '' && { application_name: application }),
    ...(PROCESS.test(process) && { process_id: process }),
    ...(QUERYID.test(queryid) && { queryid }),
  };
  const clear = () => set(Object.fromEntries([...NAMES, 'class'].map((name) => [name, ''])));
  return { of, set, wanted, isNarrowed: Object.keys(wanted).length > 0, clear };
}

const TYPED = [
  ['database', 'Database', LONGEST_NAME],
  ['user', 'User', LONGEST_NAME],
  ['application', 'Application', LONGEST_NAME],
  ['process', 'PID', 10],
  ['queryid', 'Query ID', 20],
] as const;

export function LogFilters({ of, set }: Texts) {
  const faults: Partial<Record<Name, string>> = {
    ...(of('process') !== '' &&
      !PROCESS.test(of('process').trim()) && { process: 'A number, such as 30444.' }),
    ...(of('queryid') !== '' &&
      !QUERYID.test(of('queryid').trim()) && { queryid: 'A number, which may be negative.' }),
  };
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
      <TextInput
        aria-label="SQLSTATE"
        placeholder="SQLSTATE"
        maxLength={5}
        className={classes.state}
        value={of('sqlstate')}
        error={isState ? undefined : 'Five characters, such as 40P01.'}
        onChange={(event) => set({ sqlstate: event.target.value })}
      />
      {TYPED.map(([name, label, longest]) => (
        <TextInput
          key={name}
          aria-label={label}
          placeholder={label}
          maxLength={longest}
          className={classes.typed}
          value={of(name)}
          error={faults[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      ))}
    </search>
  );
}
