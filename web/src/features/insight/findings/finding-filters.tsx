// Which findings are shown. Each choice stands in the address.
import { NativeSelect } from '@mantine/core';
import { typed } from '../../../ui/field.ts';
import { Filters } from '../../../ui/filters.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { CATEGORY_WORDS, SEVERITY_WORDS, STATE_WORDS, STATES } from './finding-words.ts';
import { useChecks, useFindingFilters } from './use-findings.ts';

const STATE_CHOICES = STATES.map((value) => ({
  value: value === 'open' ? '' : value,
  label: STATE_WORDS[value],
}));
const SEVERITY_CHOICES = [
  { value: '', label: 'Every severity' },
  { value: 'warning', label: 'Warning and critical' },
  { value: 'critical', label: SEVERITY_WORDS.critical.label },
];
const CATEGORY_CHOICES = [
  { value: '', label: 'Every category' },
  ...Object.entries(CATEGORY_WORDS).map(([value, label]) => ({ value, label })),
];
function CheckChoice() {
  const [{ check = '' }, set] = useFindingFilters();
  const checks = (useChecks().data ?? []).map((one) => one.check);
  return (
    <NativeSelect
      label="Check"
      data={[
        { value: '', label: 'Every check' },
        ...checks
          .toSorted((a, b) => a.title.localeCompare(b.title))
          .map(({ name, title }) => ({ value: name, label: title })),
      ]}
      {...typed(check, (check) => set({ check }))}
    />
  );
}

function ServerChoice() {
  const [{ server }, set] = useFindingFilters();
  const servers = (useEstate().data?.servers ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <NativeSelect
      label="Server"
      data={[
        { value: '', label: 'Every server' },
        ...servers.map(({ connection_id, name }) => ({ value: String(connection_id), label: name })),
      ]}
      {...typed(server === undefined ? '' : String(server), (server) => set({ server }))}
    />
  );
}

/** `ofServer`: of one server alone, which cannot be chosen then. */
export function FindingFilters({ ofServer = false }: { ofServer?: boolean }) {
  const [{ state, severity = '', category = '' }, set] = useFindingFilters();
  return (
    <Filters names={['state', 'severity', 'category', 'check', 'server']}>
      <NativeSelect
        label="State"
        data={STATE_CHOICES}
        {...typed(state === 'open' ? '' : state, (state) => set({ state }))}
      />
      <NativeSelect
        label="Severity"
        data={SEVERITY_CHOICES}
        {...typed(severity === 'info' ? '' : severity, (severity) => set({ severity }))}
      />
      <NativeSelect
        label="Category"
        data={CATEGORY_CHOICES}
        {...typed(category, (category) => set({ category }))}
      />
      <CheckChoice />
      {ofServer ? null : <ServerChoice />}
    </Filters>
  );
}
