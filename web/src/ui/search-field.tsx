// A search that narrows what is shown while one types; Escape empties it.
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
        value={value}
        maxLength={200}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
      />
    </label>
  );
}
