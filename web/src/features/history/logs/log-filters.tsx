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

const NAMES = ['search', 'severity', 'sqlstate', 'database'] as const;
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
}

export interface LogFilterState extends Texts {
  /** As the server is asked, once one has stopped typing. */
  wanted: LogEventsFilter;
  isNarrowed: boolean;
}

const stateOf = (sqlstate: string) => sqlstate.trim().toUpperCase();

export function useLogFilters(): LogFilterState {
  const [of, set] = useUrlTexts(NAMES);
  const [search] = useDebouncedValue(of('search').trim(), TYPED_MS);
  const [database] = useDebouncedValue(of('database').trim(), TYPED_MS);
  const severity = SEVERITIES.find((one) => one === of('severity'));
  const sqlstate = stateOf(of('sqlstate'));
  const wanted = {
    ...(search !== '' && { search }),
    ...(severity && { severity }),
    ...(SQLSTATE.test(sqlstate) && { sqlstate }),
    ...(database !== '' && { database_name: database }),
  };
  return { of, set, wanted, isNarrowed: Object.keys(wanted).length > 0 };
}

export function LogFilters({ of, set }: Texts) {
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
      <TextInput
        aria-label="Database"
        placeholder="Database"
        maxLength={LONGEST_NAME}
        value={of('database')}
        onChange={(event) => set({ database: event.target.value })}
      />
    </search>
  );
}
