// What is looked for in the audit log. Each filter stands in the address; choosing one goes back to the first page.
import { NativeSelect, TextInput } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { typed } from '../../../ui/field.ts';
import classes from './audit.module.css';
import { ACTIONS, actionWords, type Filters, OUTCOME_WORDS, OUTCOMES, RANGES } from './audit-words.ts';

export function useFilters(): [Filters, (next: Partial<Filters>) => void] {
  const [search, setSearch] = useSearchParams();
  const text = (name: keyof Filters) => search.get(name) ?? '';
  const filters = {
    range: text('range'),
    from: text('from'),
    to: text('to'),
    actor: text('actor'),
    action: text('action'),
    outcome: text('outcome'),
  };
  const set = (next: Partial<Filters>) =>
    setSearch(
      (before) => {
        const params = new URLSearchParams(before);
        params.delete('page');
        params.delete('event');
        for (const [name, value] of Object.entries(next)) {
          if (value) params.set(name, value);
          else params.delete(name);
        }
        return params;
      },
      { replace: true, preventScrollReset: true },
    );
  return [filters, set];
}

const ACTION_CHOICES = [
  { value: '', label: 'Every action' },
  ...Object.keys(ACTIONS).map((value) => ({ value, label: actionWords(value) })),
];
const OUTCOME_CHOICES = [
  { value: '', label: 'Every outcome' },
  ...OUTCOMES.map((value) => ({ value, label: OUTCOME_WORDS[value] })),
];
const RANGE_CHOICES = RANGES.map(({ value, label }) => ({ value, label }));

export function AuditFilters() {
  const [filters, set] = useFilters();
  return (
    <search className={classes.filters} aria-label="Filters">
      <NativeSelect
        label="Time"
        data={RANGE_CHOICES}
        value={filters.range}
        onChange={(event) => set({ range: event.target.value, from: '', to: '' })}
      />
      {filters.range === 'custom' ? (
        <>
          <TextInput label="From" type="datetime-local" {...typed(filters.from, (from) => set({ from }))} />
          <TextInput label="To" type="datetime-local" {...typed(filters.to, (to) => set({ to }))} />
        </>
      ) : null}
      <TextInput
        label="Who"
        type="search"
        placeholder="exact user name"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        {...typed(filters.actor, (actor) => set({ actor }))}
      />
      <NativeSelect
        label="Action"
        data={ACTION_CHOICES}
        {...typed(filters.action, (action) => set({ action }))}
      />
      <NativeSelect
        label="Outcome"
        data={OUTCOME_CHOICES}
        {...typed(filters.outcome, (outcome) => set({ outcome }))}
      />
    </search>
  );
}
