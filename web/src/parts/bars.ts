import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip, type ChartDataset } from "chart.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);

/** Horizontal stacked bars on a canvas. */
export function bars(canvas: HTMLCanvasElement, labels: string[], datasets: ChartDataset<"bar", number[]>[]): Chart {
  return new Chart(canvas, {
    type: "bar",
    data: { labels, datasets },
    options: { indexAxis: "y", animation: false, maintainAspectRatio: false, plugins: { legend: { position: "bottom" } } },
  }) as Chart;
}
