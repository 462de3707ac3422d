// A set of names that are granted or not: one box each, and one for all of them, those to come too. Saved as a whole;
// what the server refuses is said, and the boxes stay as they were set.
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { ApiError } from '../../../api/client.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { Identifier } from '../../../ui/identifier.tsx';
import layout from '../../../ui/layout.module.css';
import classes from './checklist.module.css';

export const EVERYTHING = '*';

interface ChecklistItem {
  name: string;
  description: string;
}

export interface BoxesProps {
  label: string;
  items: readonly ChecklistItem[];
  /** What the box for everything says. */
  everything: string;
  chosen: readonly string[];
  readOnly?: boolean;
  onChange: (chosen: readonly string[]) => void;
}

export function Boxes({ label, items, everything, chosen, readOnly = false, onChange }: BoxesProps) {
  const all = chosen.includes(EVERYTHING);
  const toggle = (name: string, on: boolean) =>
    onChange(on ? [...chosen, name] : chosen.filter((one) => one !== name));
  return (
    <fieldset className={classes.boxes}>
      <legend className="visually-hidden">{label}</legend>
      <Checkbox
        className={classes.all}
        label={everything}
        checked={all}
        disabled={readOnly}
        onChange={(event) => toggle(EVERYTHING, event.target.checked)}
      />
      <div className={classes.list}>
        {items.map(({ name, description }) => (
          <Checkbox
            key={name}
            label={<Identifier>{name}</Identifier>}
            description={description}
            checked={all || chosen.includes(name)}
            disabled={readOnly || all}
            onChange={(event) => toggle(name, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}

export interface ChecklistProps extends Omit<BoxesProps, 'chosen' | 'onChange'> {
  saved: readonly string[];
  error: ApiError | null;
  isPending: boolean;
  onSave: (chosen: readonly string[]) => void;
}

const sorted = (names: readonly string[]) => [...new Set(names)].sort().join('\n');

export function Checklist({ saved, error, isPending, onSave, ...boxes }: ChecklistProps) {
  const [draft, setDraft] = useState<readonly string[]>();
  const chosen = draft ?? saved;
  const changed = sorted(chosen) !== sorted(saved);
  return (
    <div className={layout.fields}>
      <FormError error={error} />
      <Boxes {...boxes} chosen={chosen} onChange={setDraft} />
      {boxes.readOnly ? null : (
        <div className={classes.actions}>
          <Button
            disabled={!changed}
            loading={isPending}
            onClick={() => onSave(chosen.includes(EVERYTHING) ? [EVERYTHING] : chosen)}
          >
            Save
          </Button>
          {changed ? (
            <Button variant="subtle" onClick={() => setDraft(undefined)}>
              Undo
            </Button>
          ) : null}
        </div>
      )}
    </div>
  );
}
