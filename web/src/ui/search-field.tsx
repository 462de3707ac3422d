// A search that narrows what is shown while one types; Escape empties it.
import { SearchIcon } from './icons.ts';
import classes from './search-field.module.css';
import { useTyped } from './use-typed.ts';

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const { set, ...field } = useTyped(value, onChange);
  return (
    <label className={classes.field}>
      <SearchIcon size={15} aria-hidden="true" />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        maxLength={200}
        {...field}
        onKeyDown={(event) => event.key === 'Escape' && set('')}
      />
    </label>
  );
}
