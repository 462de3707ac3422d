// Language models: which are configured, what they were asked, and what would leave for them.
import { PageHeader } from '../../ui/page-header.tsx';
import classes from './models.module.css';
import { ModelsPanel } from './models-panel.tsx';

export function ModelsPage() {
  return (
    <>
      <PageHeader title="Language models" facts="What is asked of them, what leaves, and what it takes" />
      <div className={classes.panels}>
        <ModelsPanel />
      </div>
    </>
  );
}
