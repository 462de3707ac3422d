// "3 databases, read 2 min ago": of when the figures of a panel are.
import { RelativeTime } from './relative-time.tsx';

export function ReadAt({ at, before }: { at: string | null | undefined; before?: string }) {
  if (at == null) return <>{before}</>;
  return (
    <>
      {before === undefined ? '' : `${before}, `}read <RelativeTime at={at} />
    </>
  );
}
