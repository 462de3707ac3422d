// How many statements there are and until when they are counted, above the list of them. Figures of later wait until the
// reader asks for them; what could not be read is said while what was read before stays.
import { Button } from '@mantine/core';
import type { ApiError } from '../../api/client.ts';
import { countOf } from '../../lib/format.ts';
import { hourText, momentText } from '../../lib/zone.ts';
import { useChartPage } from '../../ui/charts/chart-page.tsx';
import classes from './queries.module.css';
import type { Standing } from './use-standing-window.ts';

export interface QueriesStateProps {
  count: number;
  standing: Standing;
  failed: ApiError | null;
  onRetry: () => void;
}

export function QueriesState({ count, standing, failed, onRetry }: QueriesStateProps) {
  const { zone } = useChartPage();
  const { window, isBehind, renew } = standing;
  return (
    <div className={classes.state}>
      <span role="status">{countOf(count, 'statement')}</span>
      <span title={momentText(window.to, zone)}>counted until {hourText(window.to, zone)}</span>
      {isBehind ? (
        <Button size="compact-xs" variant="default" onClick={renew}>
          Show up to now
        </Button>
      ) : null}
      {failed ? (
        <span role="alert" className={classes.failed}>
          Not all could be loaded: {failed.message}{' '}
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </span>
      ) : null}
    </div>
  );
}
