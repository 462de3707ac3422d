// A search that narrows what is shown while one types; Escape empties it.
import { typed } from './field.ts';
import { SearchIcon } from './icons.ts';
import classes from './search-field.module.css';

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <label className={classes.field}>
      <SearchIcon size={15} aria-hidden="true" />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        maxLength={200}
        {...typed(value, onChange)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
      />
    </label>
  );
}
