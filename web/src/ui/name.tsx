// A name that somebody typed: kept apart from the direction of the text around it, never wider than its place.
import classes from './name.module.css';

export interface NameProps {
  children: string;
  /** Ends in an ellipsis instead of breaking into lines; the whole is in the title. */
  oneLine?: boolean;
}

export function Name({ children, oneLine = false }: NameProps) {
  return (
    <bdi className={oneLine ? classes.line : classes.name} title={oneLine ? children : undefined}>
      {children}
    </bdi>
  );
}
