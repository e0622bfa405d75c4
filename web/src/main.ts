import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { askTabs } from "./api/session.svelte";

await askTabs();
const target = document.getElementById("explorer");
if (target) mount(App, { target });
