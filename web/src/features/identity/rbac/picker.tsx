// Finding one of many by typing: the first matches stand below the field, each with a button that takes it. Works the
// same for three and for thousands.
import { type ReactNode, useState } from 'react';
import { AddIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import classes from './picker.module.css';

const SHOWN = 6;

export interface Candidate {
  key: string;
  name: string;
  /** What it is, in small letters. */
  kind: string;
}

export interface PickerProps {
  label: string;
  candidates: readonly Candidate[];
  /** The word on the button. */
  verb: string;
  /** What is picked is looked at, and added to nothing. */
  isLook?: boolean;
  /** Why there is nothing to find. */
  empty: string;
  isPending?: boolean;
  onPick: (key: string) => void;
  /** Stands beside the search. */
  children?: ReactNode;
}

export function Picker({
  label,
  candidates,
  verb,
  isLook = false,
  empty,
  isPending,
  onPick,
  children,
}: PickerProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = candidates.filter(({ name, kind }) => `${name} ${kind}`.toLowerCase().includes(wanted));
  const rest = found.length - SHOWN;
  return (
    <div className={classes.picker}>
      <div className={classes.tools}>
        <SearchField label={label} value={search} onChange={setSearch} />
        {children}
      </div>
      <ul className={classes.list} aria-label={label}>
        {found.slice(0, SHOWN).map(({ key, name, kind }) => (
          <li key={key} className={classes.row}>
            <div className={classes.name}>
              <Name>{name}</Name>
              <span className={classes.kind}>{kind}</span>
            </div>
            <RowButton
              verb={verb}
              of={name}
              {...(isLook ? {} : { icon: AddIcon })}
              disabled={isPending === true}
              onClick={() => onPick(key)}
            />
          </li>
        ))}
      </ul>
      <p className={classes.remark} role="status">
        {found.length === 0
          ? candidates.length === 0
            ? empty
            : 'Nothing matches.'
          : rest > 0
            ? `and ${rest} more; type to find one`
            : null}
      </p>
    </div>
  );
}
