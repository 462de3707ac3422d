// How many objects of a server are not watched, since a database has more than one reading keeps.
import { useCoverage } from '../coverage/use-coverage.ts';
import classes from './objects.module.css';

const IS_SAID = / are not watched: /;

export function NotWatched({ id, probe }: { id: number; probe: string }) {
  const coverage = useCoverage(id).data;
  const said = (coverage?.probes ?? []).filter(
    (entry) => entry.probe === probe && IS_SAID.test(entry.reason ?? ''),
  );
  return said.map(({ database_name, reason }) => (
    <p key={database_name} className={classes.before} role="note">
      {database_name === null ? null : (
        <>
          <bdi>{database_name}</bdi>:{' '}
        </>
      )}
      {reason}
    </p>
  ));
}
