// Nothing is at this address, or nothing that the reader may see.
import { Link } from 'react-router';
import { UnknownIcon } from './icons.ts';
import { PageHeader } from './page-header.tsx';
import { EmptyState } from './states.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState icon={<UnknownIcon size={26} />} title="Nothing is at this address">
        It may have been moved or deleted.{' '}
        <Link className="link" to="/">
          Go to the estate
        </Link>
      </EmptyState>
    </>
  );
}
