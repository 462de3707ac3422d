// Lengths of time that are chosen most, as chips beside a field.
import chips from './chips.module.css';

interface LengthsProps {
  /** What is chosen, for who hears the page. */
  what: string;
  lengths: readonly { label: string; ms: number }[];
  isDisabled?: boolean;
  onLength: (ms: number) => void;
}

export function Lengths({ what, lengths, isDisabled = false, onLength }: LengthsProps) {
  return (
    <fieldset className={chips.chips}>
      <legend className="visually-hidden">{what}</legend>
      {lengths.map(({ label, ms }) => (
        <button
          key={label}
          type="button"
          className={chips.chip}
          disabled={isDisabled}
          onClick={() => onLength(ms)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
