// Made from the OpenAPI document by `npm run api`; not edited by hand.
export interface paths {
    "/hello": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness greeting */
        get: operations["hello_hello_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reset/prod": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Wipe production and traceability data
         * @description Irreversible. Work orders, jobs, batches, serials, events, issues and what links them go, with their attachments;
         *     the queues are reduced to an empty site queue. They go in portions, each as a whole: a reset that is interrupted
         *     can be run again.
         */
        delete: operations["reset_production_and_traceability_data_reset_prod_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reset/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Wipe movements, lists and stock
         * @description Irreversible. Positions and counts stay. What goes does so in portions, each as a whole: a reset that is interrupted
         *     can be run again.
         */
        delete: operations["reset_warehouse_data_reset_inventory_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/force-delete-work-order/{work_order_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a work order with all its data
         * @description Irreversible and without a trace: its jobs, batches, step data, work sessions, events and links go, and it leaves
         *     the queues. Its serials stay, and so do the issues that were linked to it. Links of batches and components that
         *     had lost an end before go too, so all of them are looked at.
         */
        delete: operations["force_delete_work_order_data_force_delete_work_order__work_order_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in, issue a token
         * @description Earlier sessions and tokens of the user end. `detail.action` is `start_session`, or `reset_password` when the
         *     user must set a new password first; the token then opens nothing else.
         */
        post: operations["authenticate_user_auth_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{user_key}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a user's password
         * @description The user is the one of the path, whoever calls.
         */
        post: operations["verify_user_password_user__user_key__verify_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** User key of the token */
        get: operations["get_current_user_whoami_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a session with a fresh token
         * @description The token must be a session token of the named user; any other is revoked.
         */
        post: operations["start_user_session_session_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{session_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Close a session
         * @description Its own token closes a session, even after its time. With `force`, users with the scope `admin` or `production`
         *     close the sessions of others.
         */
        delete: operations["close_user_session_session__session_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description In the order of surname, name and user name, without archived ones. `email` and `hourly_cost` are null for who may
         *     not change users, but for their own.
         */
        get: operations["get_user_list_user_get"];
        put?: never;
        /**
         * Create a user with a one-time password
         * @description `detail` holds `user_key` and `temp_psw`, which is shown only here; the user sets a password of their own at the
         *     first login. Nobody gives scopes that grant more than they have themselves. 409 when a user, also an archived one,
         *     has the name in any case.
         */
        post: operations["create_user_user_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{user_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Archive a user
         * @description The record stays in the database for what refers to it; its sessions and all its tokens end. 409 for oneself and for
         *     the last administrator.
         */
        delete: operations["archive_user_user__user_key__delete"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description What is absent stays; members that the body does not know are 422. Everybody may change their own `preferences`; the
         *     rest needs the scope. Only administrators change administrators, nobody gives scopes that grant more than they have
         *     themselves, and the last administrator stays one. A user who is disabled or gets another scope is logged out.
         */
        patch: operations["update_user_user__user_key__patch"];
        trace?: never;
    };
    "/user/{user_key}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the picture of a user
         * @description A JPEG, PNG, WebP, GIF or BMP file, which is kept as it is.
         */
        put: operations["update_user_image_user__user_key__image_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{user_key}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the own password
         * @description With the token that `POST /auth` hands out for the action `reset_password`, or with one's session and
         *     `current_password`: 403 when that is wrong. All sessions of the user end, this one too.
         */
        put: operations["reset_user_password_user__user_key__password_put"];
        post?: never;
        /**
         * Replace a user's password by a one-time password
         * @description `detail.temp_psw` is shown only here; the user sets a new password at the next login. Sessions of the user end. Only
         *     administrators do that to an administrator.
         */
        delete: operations["delete_user_password_user__user_key__password_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/department": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List departments
         * @description In the order of their names.
         */
        get: operations["get_department_list_department_get"];
        put?: never;
        /**
         * Create a department
         * @description 409 when another department has the name or the code.
         */
        post: operations["create_department_department_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/department/{department_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a department
         * @description 409 with `total` and a `sample` while users who are not archived belong to it.
         */
        delete: operations["delete_department_department__department_key__delete"];
        options?: never;
        head?: never;
        /**
         * Change a department
         * @description What is absent stays; null clears `code` and `description`. 409 when another department has the name or the code.
         */
        patch: operations["update_department_department__department_key__patch"];
        trace?: never;
    };
    "/api-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Issue an API token to the caller
         * @description The token is shown only here. It opens what its user may do, and no more than the caller may do now; it does not end
         *     with the caller's session.
         */
        get: operations["get_api_token_api_token_get"];
        put?: never;
        /**
         * Create an API token
         * @description The same as `GET /api-token`.
         */
        post: operations["create_api_token_api_token_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/api-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API tokens of the caller
         * @description Those that are valid, the newest first.
         */
        get: operations["get_user_api_tokens_user_api_tokens_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-token/{token_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API token
         * @description One's own; administrators revoke those of anybody.
         */
        delete: operations["revoke_token_api_token__token_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All config entries
         * @description `detail` holds every entry by its key: plain values as they are, objects with their members.
         */
        get: operations["get_config_config_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change config entries
         * @description Every member is an entry. Objects are merged into the entry, other values replace it, null does nothing.
         *     `default_production_position` and `default_consumption_position` go back to `IN` when they are absent or null.
         *     With `allow_independent_reordering_of_job_queues` false all operators' queues follow the site queue again.
         */
        patch: operations["update_config_config_patch"];
        trace?: never;
    };
    "/config/{key}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store or remove the file of a config entry
         * @description The value of the entry becomes the path of the file; without a file it becomes null. The earlier file goes.
         */
        put: operations["update_config_file_config__key__file_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/custom-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List custom data
         * @description Sorted by key. `search` finds a text in key or description, whatever its case.
         */
        get: operations["list_custom_data_custom_data_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/custom-data/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One custom-data entry */
        get: operations["get_custom_data_custom_data__key__get"];
        /**
         * Create or replace a custom-data entry
         * @description The key of the path counts, whatever the body says. With `If-Match` only an entry of that revision is replaced.
         */
        put: operations["upsert_custom_data_custom_data__key__put"];
        post?: never;
        /** Delete a custom-data entry */
        delete: operations["delete_custom_data_custom_data__key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search products
         * @description Products that are not in the trash, in the order of their codes. All conditions apply together. The texts
         *     `search_string` (or `search`), `include_text` and `exclude_text` are compared with the code, and with
         *     `search_description` with the description too; they take `*` for any run and `?` for one character, match anywhere
         *     and whatever the case, but a trailing `*` anchors the start and a leading `*` the end. With `details` the rows have
         *     all members of a product. Without a limit, or with `limit=0`, all rows are answered.
         */
        get: operations["get_product_list_product_get"];
        put?: never;
        /**
         * Create a product
         * @description `traceability_level` is `form_only`, `complete`, or empty for a product without serials. 400 when a product that is
         *     not in the trash has the code.
         */
        post: operations["create_product_product_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search products, as older dialogs do
         * @description Active products that are not in the trash, in the order of their codes. Tags are keys separated by blanks.
         *     `global_operator` joins the criteria that are given.
         */
        get: operations["search_products_product_search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deep copy of a product under a new code
         * @description With its process, bill of materials, tags, print templates and files. The original stays as it is.
         */
        post: operations["copy_product_product_copy_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One product with documents and counter
         * @description Products in the trash are answered too: old work orders refer to them. The revision that a replacement may name in
         *     `If-Match` is the `ETag`.
         */
        get: operations["get_product_data_product__product_key__get"];
        /**
         * Replace a product
         * @description Writes every member that `PATCH` can set but `trash`; those that are absent get their defaults. Picture, documents,
         *     tags, print templates, process and process tasks have operations of their own and stay as they are.
         */
        put: operations["replace_product_product__product_key__put"];
        post?: never;
        /**
         * Move a product to the trash
         * @description 409 while a work order of it is not closed, or a product that is not in the trash has it in its bill of materials.
         */
        delete: operations["delete_product_product__product_key__delete"];
        options?: never;
        head?: never;
        /**
         * Partial update of a product
         * @description What is absent stays, null gives the default. `trash` true moves the product to the trash, which needs
         *     `product:catalogue:delete` too; false brings it back. 400 when another product that is not in the trash has the
         *     code.
         */
        patch: operations["udpate_product_product__product_key__patch"];
        trace?: never;
    };
    "/product/{product_key}/doc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach a document to a product
         * @description A document of the same name is replaced. The answer is the name under which it is stored.
         */
        post: operations["save_doc_product__product_key__doc_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/doc/{doc_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a document of a product */
        delete: operations["delete_doc_product__product_key__doc__doc_name__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the picture of a product */
        put: operations["replace_product_image_product__product_key__image_put"];
        post?: never;
        /** Remove the picture of a product */
        delete: operations["replace_product_image_product__product_key__image_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Indicators of a product
         * @description Over the last 365 days, in milliseconds a piece: the hundred newest closed work orders, the batches of each phase, and
         *     the issues of the product.
         */
        get: operations["get_product_stats_product__product_key__stats_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The catalogue as a file
         * @description The products that `GET /product` finds with the same filters, as a workbook or as comma-separated text that
         *     `POST /product/import` takes back; `format=template` gives a workbook with the names of the columns alone.
         */
        get: operations["export_products_product_export_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import of the catalogue
         * @description A dry run checks a CSV or Excel file with the columns of the export, of which only `code` is needed. When rows are
         *     wrong the answer is a workbook that tells which, and why; else a `file_key` with which the import is executed:
         *     unknown codes become new products, of known ones the columns that are there are replaced. An empty cell clears.
         */
        post: operations["import_products_product_import_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key_or_code}/bom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * BoM lines of a product
         * @description By its key. In the order of component codes, then phase aliases. Empty for a product that does not exist.
         */
        get: operations["get_product_bom_product__product_key__bom_get"];
        /**
         * Replace the BoM of a product
         * @description All lines or none: an unknown component, a phase of another product or a component that needs the product
         *     itself, at whatever depth, leaves the bill of materials as it was. Loops are answered with 403, the codes
         *     along each of them in `detail.data`. With `If-Match` only the bill of materials of that revision is replaced.
         */
        put: operations["update_bom_product__product_key_or_code__bom_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations
         * @description In the order of their names, with whole print templates and media of their steps.
         */
        get: operations["get_operation_list_operation_get"];
        put?: never;
        /**
         * Create an operation
         * @description Parameters that are not sent come from the configuration.
         */
        post: operations["create_operation_operation_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/{operation_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an operation
         * @description What is absent stays. Steps are replaced as a whole; media that no step needs any more go with their files.
         */
        patch: operations["update_operation_operation__operation_key__patch"];
        trace?: never;
    };
    "/operation/{op_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an operation
         * @description 403 while the process of a product that is not in the trash has a phase of it.
         */
        delete: operations["delete_operation_operation__op_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operation/{operation_key}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy an operation to the phases that are based on it
         * @description In the processes of the products named: steps, parameters and notes of those phases become the operation's.
         */
        post: operations["copy_operation_to_phases_operation__operation_key__copy_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Phases and steps of a product
         * @description In the order of the process. The revision that a replacement may name in `If-Match` is the `ETag`.
         */
        get: operations["get_production_process_product__product_key__process_get"];
        /**
         * Replace the process of a product
         * @description A phase or step with a key of this process is replaced, others are new. What is missing leaves the process; its
         *     documents stay for what was recorded with them. 409 when a phase that would go still has lines of the bill of
         *     materials.
         */
        put: operations["update_process_product__product_key__process_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/process/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy the process to other products
         * @description The targets get new phases and steps with their files and print templates; what they had leaves their processes. Lines
         *     of their bills of materials go to the new phase of the same name, or to the last one. All targets or none.
         */
        post: operations["copy_process_to_products_product__product_key__process_copy_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/counter/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Copy the serial counter to other products */
        post: operations["copy_process_to_products_product__product_key__counter_copy_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/product/{product_key}/process/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tasks of a process
         * @description Each with the name and icon of its type, null when the type is gone.
         */
        get: operations["get_process_tasks_product__product_key__process_tasks_get"];
        /** Replace the tasks of a process */
        put: operations["update_process_tasks_product__product_key__process_tasks_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Phases by their keys
         * @description In the order asked, each once. Those that do not exist are left out, those that left their process are not.
         */
        get: operations["get_phase_data_phase_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/procedure/{phase_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The steps of a phase
         * @description In their order, with the names of their files.
         */
        get: operations["get_phase_procedure_procedure__phase_key__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/step/{step_key}/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Files of a step
         * @description Their names, in order. A step that does not exist has none.
         */
        get: operations["get_step_media_step__step_key__media_get"];
        put?: never;
        /**
         * Add a file to a step
         * @description A file of the same name is replaced. The answer is the name under which it is stored.
         */
        post: operations["save_step_media_step__step_key__media_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/step/{step_key}/media/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a file of a step */
        delete: operations["delete_step_media_step__step_key__media__filename__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store a file */
        post: operations["create_media_media_create_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/{media_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a stored file
         * @description The token may also come in the cookie `Authorization`, since pages load pictures without a header.
         */
        get: operations["get_media_media__media_key__get"];
        put?: never;
        post?: never;
        /**
         * Delete a stored file
         * @description 422 with a text while something shows it.
         */
        delete: operations["delete_media_media__media_key__delete"];
        options?: never;
        head?: never;
        /** Replace a stored file */
        patch: operations["update_media_media__media_key__patch"];
        trace?: never;
    };
    "/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload files to an entity
         * @description Everything is checked before the first file is put in its place; a request that fails leaves no file behind.
         *     With `reset_folder` the files that lay in the folder are gone afterwards.
         */
        post: operations["upload_files_files_post"];
        /**
         * Delete named files of an entity
         * @description All or nothing: 404 names the first file that is missing. Folders that become empty go.
         */
        delete: operations["delete_files_files_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/field": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List field definitions
         * @description In the order of their names, whatever the case. Both parameters match exactly and combine.
         */
        get: operations["fetch_field_field_get"];
        put?: never;
        /**
         * Create a field definition
         * @description 409 when another field has the same slug.
         */
        post: operations["create_field_field_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/field/{field_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a field definition
         * @description The body names the same `_key` as the path. 409 when another field has the same slug. With `If-Match` only a field of
         *     that revision is replaced.
         */
        put: operations["replace_field_metadata_field__field_key__put"];
        post?: never;
        /** Delete a field and its list values */
        delete: operations["delete_field_field__field_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values of a choice field
         * @description `search` is a substring of `value` or of `ext_key`, whatever the case.
         */
        get: operations["fetch_custom_list_values_list_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/list/{field_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert or replace values of a choice field
         * @description A value with a `_key` replaces the one with that key. With `reset` the field has no other values afterwards.
         */
        post: operations["create_or_update_custom_list_values_list__field_key__post"];
        /**
         * Delete values of a choice field
         * @description By their keys alone; the field of the path does not restrict them.
         */
        delete: operations["delete_custom_list_value_list__field_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List print templates
         * @description In the order of their names, without what they print: all of them, or with a context those of one entity.
         */
        get: operations["find_print_templates_print_template_get"];
        /**
         * Replace a print template
         * @description The one that `_key` of the body names. What it prints stays when the body does not tell it, as the rows of the list do
         *     not. With `If-Match` only a template of that revision is replaced.
         */
        put: operations["update_print_template_print_template_put"];
        /** Create a print template */
        post: operations["create_print_template_print_template_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-template/{template_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One print template
         * @description With what it prints. Members without a value are left out: the designer of labels does not take null.
         */
        get: operations["get_print_template_details_print_template__template_key__get"];
        put?: never;
        post?: never;
        /**
         * Delete a print template
         * @description Its assignments go with it, and the default steps of operations that name it do so no longer.
         */
        delete: operations["delete_print_template_print_template__template_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/update-template-assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add or remove assignments of print templates
         * @description All or nothing. Adding an assignment that is there keeps the one there is, and removing one that is not is no mistake.
         */
        post: operations["update_template_assignments_update_template_assignments_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print-job": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Print
         * @description Sends the data to a printer, once for each copy, and waits for the outcome. The printer is one of the configuration's
         *     `printers`; a job that fails is told with `ok` false. Streams of the topic `production` hear of a job that is done.
         */
        post: operations["create_print_job_print_job_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-field": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fields recorded for serials
         * @description As configured under `serial_fields`.
         */
        get: operations["fetch_field_serial_field_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Serials of a batch
         * @description In the order of their codes, each with its current components of the same work order. `filter_empty` leaves out
         *     serials that have no code yet.
         */
        get: operations["get_serial_batch_serial_batch_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/component-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Components of a batch
         * @description Serials that were declared as components on the batch itself, replaced and unconfirmed ones too.
         */
        get: operations["get_serial_batch_component_batch_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wip-serial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Serials in work
         * @description What waits for the phase or is booked for the job, of one work order, in the order of the serials' codes. Work in
         *     progress without serials gives entries without keys.
         */
        get: operations["get_serial_wip_wip_serial_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-parents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ancestors of a serial
         * @description The farthest ancestor first, the serial itself last. Replaced links are followed and flagged.
         */
        get: operations["get_serial_parents_serial_parents_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Direct children of a serial */
        get: operations["get_serial_children_serial_children_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-hierarchy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tree from the root ancestor down
         * @description The root is the end of the longest way up over current links and serials that are not deleted. Components that
         *     the bill of materials expects and nobody installed stand in the tree without a serial.
         */
        get: operations["get_serial_hierarchy_serial_hierarchy_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-selection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Serials to choose from
         * @description In the order of their codes. All conditions apply together; `search` is a substring of the code, whatever the
         *     case. Deleted serials never appear, unreleased ones on demand.
         */
        get: operations["get_serial_selection_serial_selection_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial/{serial_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One serial */
        get: operations["get_serial_from_key_serial__serial_key__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Serials by code
         * @description Of one product, or of any when none is given. Codes are compared without regard to case and outer blanks.
         */
        get: operations["get_serial_from_code_serial_code_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial-code/verify-free": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a serial code is free
         * @description True unless another serial of the product has it, whatever its case. `serial_key` names the serial that may keep
         *     it. Without a product no serial of any product may have it.
         */
        get: operations["verify_serial_code_free_serial_code_verify_free_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search serials
         * @description All conditions apply together. The texts `serial_search`, `product_code_search`, `work_order_search`,
         *     `project_search`, `is_contained_in` (code of a serial that contains it at any depth) and `contains` (code of one
         *     it contains) take `*` for any run and `?` for one character; they match anywhere, whatever the case, but a
         *     trailing `*` anchors the start and a leading `*` the end. Times are inclusive. `filter_unreleased` leaves only
         *     released serials. `sort_by` is an attribute of the answer, also `product.code`. `limit=0` means all.
         */
        get: operations["search_serials_serial_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial/{serial_key}/where-used": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a serial was used
         * @description Every serial that contains the given one, at any depth, the nearest first, then by code: with its product and
         *     work order, the way down to the given serial, whether it still contains it, and what became of it.
         *     `top_level_only` leaves only units that no other serial contains. `include_replaced` also shows units that the
         *     given serial, or what contains it, was taken out of.
         */
        get: operations["get_serial_where_used_serial__serial_key__where_used_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/where-used": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a lot or a product was used
         * @description Every serial that contains a serial of the product, or one with the code, or one that is both: a lot that bears
         *     one code is one serial. Codes are compared without regard to case and outer blanks. Rows, order and the other
         *     parameters are those of `GET /serial/{serial_key}/where-used`; the end of `path` is the serial that was used.
         *     Without a product and a code it is 422.
         */
        get: operations["get_where_used_where_used_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/serial/{serial_key}/dhr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Device history record
         * @description A PDF for downloading: the serial with its data and components. On demand also the steps that were executed,
         *     the images and PDF files attached to its fields, and the records of all serials that it contains.
         */
        get: operations["get_device_history_record_serial__serial_key__dhr_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tags
         * @description In the order of their names: all of them, or with `context_key` those of that entity. A `context` alone has none.
         */
        get: operations["get_tags_tag_get"];
        put?: never;
        /** Create a tag */
        post: operations["create_tag_tag_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tag/update-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add or remove connections of tags
         * @description All or nothing. Adding a connection that is there already keeps the one there is.
         */
        post: operations["connect_tags_tag_update_connections_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issue-type": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List issue types
         * @description In the order of their names. All given conditions apply together.
         */
        get: operations["get_issue_type_issue_type_get"];
        put?: never;
        /**
         * Create an issue type
         * @description 409 when the code exists.
         */
        post: operations["create_issue_type_issue_type_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/issue-type/{issue_type_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an issue type
         * @description Issues of the type stay as they are.
         */
        delete: operations["delete_issue_type_issue_type__issue_type_key__delete"];
        options?: never;
        head?: never;
        /**
         * Partial update of an issue type
         * @description 409 when another type has the code.
         */
        patch: operations["update_issue_type_issue_type__issue_type_key__patch"];
        trace?: never;
    };
    "/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search issues
         * @description All conditions apply together. The `_search` parameters are substrings, whatever the case but for the key.
         *     Without `limit`, or with `limit=0`, all rows.
         */
        get: operations["search_issues_issue_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages of a recipient
         * @description The recipient is a full id such as `Issue/123`. Oldest first, deleted ones included.
         */
        get: operations["get_messages_message_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/task": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search tasks
         * @description All conditions apply together. `search` is a substring of title, description or code; date bounds are whole
         *     days, inclusive; `assigned_to` matches tasks assigned to any of the users. When a status flag is true only such
         *     statuses are included, else those whose flag is false are left out. `limit=0` means all.
         */
        get: operations["search_tasks_task_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/task/{task_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One task with links */
        get: operations["get_task_data_task__task_key__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/task-type": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List task types
         * @description In the order of their names. `name` is a substring, whatever the case.
         */
        get: operations["get_task_types_task_type_get"];
        put?: never;
        /** Create a task type */
        post: operations["create_task_type_task_type_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/task-type/{type_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a task type (sent fields only)
         * @description With `If-Match` only a task type of that revision is changed.
         */
        put: operations["update_task_type_task_type__type_key__put"];
        post?: never;
        /**
         * Delete a task type
         * @description Tasks of the type stay as they are.
         */
        delete: operations["delete_task_type_task_type__type_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/position": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search positions
         * @description Every position below `is_in_position`, sorted by code, without deleted ones. `limit=0` gives all.
         */
        get: operations["get_positions_position_get"];
        put?: never;
        /** Create a position */
        post: operations["create_position_position_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/position/{position_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One position with its contents
         * @description `search` keeps the contents whose code or product code contains the text.
         */
        get: operations["get_position_details_position__position_key__get"];
        put?: never;
        post?: never;
        /**
         * Delete a position
         * @description The document stays, marked as deleted. A position that holds anything, at any depth, is not deleted.
         */
        delete: operations["delete_position_position__position_key__delete"];
        options?: never;
        head?: never;
        /**
         * Update or move a position
         * @description The attributes of the body are set, all others stay. `parent_position_key` moves the position. With `deleted`
         *     true it is deleted under the rules of the deletion; with false a deleted one comes back, into `IN` when no
         *     other parent is named. With `If-Match` only a position of that revision is changed.
         */
        patch: operations["update_position_position__positions_key__patch"];
        trace?: never;
    };
    "/position-hierarchy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Position tree
         * @description From `IN` down to the position and everything below it; the siblings of its ancestors are left out.
         */
        get: operations["get_position_hierarchy_position_hierarchy_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/movement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the movement journal
         * @description The latest end first, then the latest start. `position_from` and `position_to` include the positions below
         *     them unless `search_graph` is false; `position_filter_operator` says whether both must match or one.
         */
        get: operations["search_inventory_journal_movement_get"];
        put?: never;
        /**
         * Search movement lists
         * @description The same search as `GET /movement-list`, its parameters in the body.
         */
        post: operations["search_movement_lists_movement_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/movement/latest-positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Recently used positions */
        get: operations["get_recent_movement_positions_movement_latest_positions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/movement/latest-products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Recently moved products */
        get: operations["get_recent_movement_products_movement_latest_products_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/movement-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search movement lists
         * @description By due date, then code. `counts` holds the number of movements in each status.
         */
        get: operations["search_movement_lists_movement_list_get"];
        put?: never;
        /**
         * Create a movement list with its movements
         * @description With the status `completed` the movements change stock, all of them or none.
         */
        post: operations["create_movement_list_movement_list_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Current stock
         * @description Stock at or below `root_position_key` (`IN` when not given), in the order of the product codes.
         */
        get: operations["get_inventory_inventory_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search counting sessions
         * @description The newest first.
         */
        get: operations["search_counting_sessions_inventory_count_session_get"];
        put?: never;
        /**
         * Create a counting session
         * @description It is planned: another `status` is refused, and what belongs to later states (beginning, end, snapshots, list of
         *     adjustments) is not taken over.
         */
        post: operations["create_counting_session_inventory_count_session_post"];
        /** Delete a planned counting session */
        delete: operations["delete_counting_session_inventory_count_session_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-session/{session_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One counting session */
        get: operations["get_counting_session_inventory_count_session__session_key__get"];
        /**
         * Update a counting session
         * @description Once it has begun, only description, end and notes can change.
         */
        put: operations["update_counting_session_inventory_count_session__session_key__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-session/{session_key}/processed-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Number of processed records */
        get: operations["get_counting_session_processed_records_inventory_count_session__session_key__processed_records_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-session/{session_key}/completed-positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys of completed positions */
        get: operations["get_session_completed_positions_inventory_count_session__session_key__completed_positions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-assignment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search assignments
         * @description An assigned position is found by itself and by every position in it.
         */
        get: operations["get_counting_assignment_inventory_count_assignment_get"];
        put?: never;
        /** Add assignments to sessions */
        post: operations["create_counting_assignments_inventory_count_assignment_post"];
        /**
         * Cancel assignments
         * @description All of them, which must be planned, or none.
         */
        delete: operations["delete_counting_assignments_inventory_count_assignment_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-record": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search count records
         * @description `include_completed` stands for completed, submitted and confirmed records.
         */
        get: operations["get_counting_record_inventory_count_record_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-position-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Completion status of child positions
         * @description `counted` or `empty` for each position directly in the parent that is finished in the session.
         */
        get: operations["get_count_position_status_inventory_count_position_status_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/count-record/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bulk import of count records
         * @description A dry run checks a CSV or Excel file with the columns `position_code`, `product_code`, `counted_qt` and
         *     `serial_code`. When rows are wrong the answer is a workbook that tells which, and why; else a `file_key` with
         *     which the import is executed.
         */
        post: operations["import_count_records_inventory_count_record_import_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/counter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List counters
         * @description In the order of their names. Both parameters match exactly and combine.
         */
        get: operations["fetch_counter_counter_get"];
        put?: never;
        /**
         * Create a counter
         * @description `detail.counter_key` is its key. 409 when another counter has the name.
         */
        post: operations["create_counter_counter_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/counter/{counter_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a counter
         * @description What is absent gets its default. 409 when another counter has the name, and when the counter was used since the
         *     page read it (`_rev`) and `next_tick` would go back, so that codes would repeat.
         */
        put: operations["replace_field_metadata_counter__counter_key__put"];
        post?: never;
        /**
         * Delete an unused counter
         * @description 409 with `code`, and with what uses it: `slots` of the configuration's `system_counters`, products, or serials that
         *     wait for a code of it.
         */
        delete: operations["delete_field_counter__counter_key__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the event log
         * @description All given conditions must hold. With a task, issue or serial the scope to read that is enough. `X-Next-Offset` says
         *     where the next page begins, when there is one.
         */
        get: operations["get_events_event_get"];
        put?: never;
        /**
         * Record an event
         * @description The members beside those of `EventInfoModel` depend on the type: `Event_<TYPE>`. An event that is sent again under the
         *     same `event_key` is answered as the first time and not recorded again.
         */
        post: operations["record_event_event_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record events of one type, all or none
         * @description What stands in a row wins over `shared_data`. The first row that is refused undoes all of them.
         */
        post: operations["record_events_bulk_event_bulk_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/work-order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search work orders
         * @description Open ones first, in the order of the site queue, then the newest; then closed ones, the last to end first. `search` is a
         *     part of the code, the product's code or the project, whatever the case.
         */
        get: operations["search_work_orders_work_order_get"];
        put?: never;
        /**
         * Plan a work order with its jobs
         * @description One job for each phase of the product's process, or one of phase `default` without a process; the order comes to the
         *     end of the site queue. 404 without such a product, 409 when the code is taken.
         */
        post: operations["create_work_order_work_order_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/work-order-search-opts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What searches for open jobs choose from
         * @description One element with phases, products and codes of work orders, each in the order of its names.
         */
        get: operations["search_work_orders_work_order_search_opts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/work-order/{wo_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One work order with its jobs */
        get: operations["get_wo_data_work_order__wo_key__get"];
        put?: never;
        post?: never;
        /**
         * Delete a work order that was not begun
         * @description With its jobs and canceled batches; what was recorded of it stays in the journal. 403 once work has begun.
         */
        delete: operations["delete_work_order_work_order__wo_key__delete"];
        options?: never;
        head?: never;
        /**
         * Change a work order
         * @description Dates and project change on its jobs too. The bill of materials and the output position of a closed order stay: 409.
         */
        patch: operations["update_work_order_work_order__wo_key__patch"];
        trace?: never;
    };
    "/work-order/{wo_key}/traceability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was recorded of a work order
         * @description A row for each record of a step and each serial of its batch, in the order in which steps were completed, open ones
         *     last. Canceled batches and records are left out.
         */
        get: operations["get_wo_traceability_data_work_order__wo_key__traceability_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/work-order/{wo_key}/update-quantities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change planned quantities of order and jobs
         * @description All or nothing. The jobs of a phase may be planned with a reserve: their sum is not held to the quantity. 409 when less
         *     would be planned than is made or being made.
         */
        patch: operations["update_work_order_quantities_work_order__wo_key__update_quantities_patch"];
        trace?: never;
    };
    "/job": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs with their operators
         * @description A value of each parameter that is given; without any, all open jobs. By the codes of work orders, within an order by phase.
         */
        get: operations["get_job_list_job_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job/{job_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Working data of a job
         * @description With the whole bill of materials of its order and what is declared of it for the active batch.
         */
        get: operations["get_job_data_job__job_key__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job/{job_key}/time": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Elapsed time of a job
         * @description Milliseconds of all its work sessions, running ones up to now.
         */
        get: operations["get_job_elapsed_time_job__job_key__time_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/work-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Last work session of a job
         * @description Running or not; null when nobody has worked on it.
         */
        get: operations["get_active_work_session_for_job_work_session_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job/{job_key}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell that the screen of a job is alive
         * @description Nothing but `last_online` changes. Whoever changes the job at the same time shows as well that it lives.
         */
        post: operations["job_heartbeat_job__job_key__heartbeat_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Insert, update or close jobs
         * @description One after the other, all or none; `detail` holds the jobs in the order of the request. Who may not change queues
         *     writes notes and takes jobs that nobody has. A job that nobody began is removed when it is closed, unless it is the
         *     only one of its phase.
         */
        post: operations["update_jobs_job_update_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job-assignment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs by operator, and unassigned jobs
         * @description Operators, and everybody else who has an open job; with `user_key` exactly that user. Everybody may ask for
         *     themselves; without the scope they do not see what nobody has.
         */
        get: operations["get_assignment_list_job_assignment_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/site/{site_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Work-order queue of a site
         * @description In its order. A site that is not known has none.
         */
        get: operations["get_site_queue_queue_site__site_key__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the order of a queue
         * @description A list is a wish: what is unknown, closed or somebody else's is dropped, and what is open and missing stays behind it.
         *     Queues of operators follow the site queue unless they are independent.
         */
        put: operations["update_queue_queue_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/operator/{operator_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the job queue of an operator
         * @description As under `PUT /queue`; a queue that is missing is created. Operators may sort their own.
         */
        put: operations["update_operator_queue_queue_operator__operator_key__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch/{batch_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Execution data of a batch
         * @description One entry for each step of its job, in order.
         */
        get: operations["get_batch_execution_data_batch__batch_key__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch/{batch_key}/serials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Serials of a batch
         * @description In the order of their codes; deleted ones are left out.
         */
        get: operations["get_batch_serials_batch__batch_key__serials_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Free work in progress before and behind a job */
        get: operations["get_wip_availability_for_job_wip_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch/temp-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store form data of an unfinished step
         * @description Fields that are not sent keep their values. Completing the step overwrites the same record. 409 when the batch is not
         *     active any more.
         */
        post: operations["store_temp_step_data_batch_temp_data_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch/{batch_key}/serial-temp-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace temporary component links of a batch
         * @description Links that are not confirmed go, these come; confirmed ones stay. All parents are units of the batch, or all are
         *     `components`: the batch itself. They are confirmed when the batch is completed.
         */
        put: operations["create_temporary_link_batch__batch_key__serial_temp_links_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification/ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A ticket for a stream
         * @description Browsers open event streams without a header, so the address carries a ticket. It opens this topic, any number of times
         *     until it expires; the stream goes on after that.
         */
        post: operations["mint_ticket_notification_ticket_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A stream of what happens
         * @description Server-sent events of a topic: `inventory`, `serial`, `production`, `issue`, `task`, `message` or `user:` with the own
         *     key; each also under its older name with `-notification` behind it. Any other topic is silent. A client that names the
         *     last id it has got is sent what it has missed of the last ten minutes; when that is not known any more it gets a
         *     message `RESYNC` and has to read anew.
         */
        get: operations["message_stream_notification__topic__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/explore/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller may do
         * @description The fine scopes that the coarse ones of the token grant: pages show what they allow.
         */
        get: operations["get_scopes_explore_scopes_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/explore/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a code is
         * @description Serials, lots, products, work orders, positions, movement lists and tasks whose code is the text or begins with it,
         *     whatever the case, and the issue with that key. `*` stands for any run of characters and `?` for one; the first
         *     character is none of them (422). Only kinds that the caller may read are looked for; without any it is 403.
         */
        get: operations["search_codes_explore_search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/explore/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which finished units contain a serial, a lot, a supplier batch or a product
         * @description It starts from one of: `serial_key`; `code`, of a serial or lot of any product or of `product_key`; `batch`, a value
         *     that was recorded with serials, such as the number of a supplier's batch; `product_key` alone. `from` and `to` keep
         *     the starting serials that were created then. The units are what contains them, at any depth, and is itself part of
         *     nothing; a starting serial that nothing contains is one of them. `include_replaced` adds units that a part was taken
         *     out of. Codes and values are compared whatever the case.
         *
         *     `counts` and `total` are of all units, `units` is a page of them, by product and code. `siblings` are told of one
         *     serial that is no lot: other units that hold a part of the lots it is made of. Beyond 10,000 starting serials or
         *     units the rest is left out and `truncated` is true.
         */
        get: operations["recall_units_explore_recall_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/aql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the database in AQL
         * @description The query runs as a user of the database of its own, who reads everything but the collections `Token` and `User` and
         *     writes nothing, within the limits of time and memory that the settings have for it (`aql.seconds`,
         *     `aql.memory_bytes`). Reading ends with the row behind `limit`, or 16 MiB; `truncated` says so.
         *
         *     What the database refuses has its error number: `{message, error_num, line, column}`. 400: the query or its
         *     parameters are wrong, or it needs too much memory (32). 403: it reads what nobody may (11), or changes something
         *     (1004). 409: a query of that name runs already. 410: it was stopped, or took too long (1500). 429: too many run.
         *     503: there is no user of the database to ask it as; the message says what to do.
         */
        post: operations["run_aql_aql_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/aql/{query_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop a query
         * @description One's own; administrators anybody's. 404 when no query of that name runs.
         */
        delete: operations["stop_aql_aql__query_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/aql/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What can be asked for
         * @description Collections with attributes of a sample of their documents and their indexes, the functions and keywords of AQL, and
         *     the limits of queries.
         */
        get: operations["get_aql_schema_aql_schema_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * APIResponse
         * @description The envelope of an answer.
         */
        APIResponse: {
            /**
             * Format: int64
             * @description Status code of the result.
             * @default 200
             */
            status: number;
            /** @description Text for people. */
            message: string | null;
            /** @description Payload of the result. */
            detail: unknown;
        };
        /**
         * APIResponse_BatchExecution
         * @description The envelope with a payload of a known type.
         */
        APIResponse_BatchExecution: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["BatchExecution"] | null;
        };
        /**
         * APIResponse_Department
         * @description The envelope with a payload of a known type.
         */
        APIResponse_Department: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message: string | null;
            /** @description Payload of the result. */
            detail: components["schemas"]["Department"] | null;
        };
        /**
         * APIResponse_Heartbeat
         * @description The envelope with a payload of a known type.
         */
        APIResponse_Heartbeat: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["Heartbeat"] | null;
        };
        /**
         * APIResponse_JobAssignments
         * @description The envelope with a payload of a known type.
         */
        APIResponse_JobAssignments: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["JobAssignments"] | null;
        };
        /**
         * APIResponse_JobData
         * @description The envelope with a payload of a known type.
         */
        APIResponse_JobData: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["JobData"] | null;
        };
        /**
         * APIResponse_NewWorkOrder
         * @description The envelope with a payload of a known type.
         */
        APIResponse_NewWorkOrder: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["NewWorkOrder"] | null;
        };
        /**
         * APIResponse_NoneType_
         * @description The envelope without a payload.
         */
        APIResponse_NoneType_: {
            /** Format: int64 */
            status: number;
            message: string | null;
            /** @description Always null. */
            detail: unknown;
        };
        /**
         * APIResponse_Queue
         * @description The envelope with a payload of a known type.
         */
        APIResponse_Queue: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["Queue"] | null;
        };
        /**
         * APIResponse_StoredStepData
         * @description The envelope with a payload of a known type.
         */
        APIResponse_StoredStepData: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["StoredStepData"] | null;
        };
        /**
         * APIResponse_Tag_
         * @description The envelope with a tag.
         */
        APIResponse_Tag_: {
            /** Format: int64 */
            status: number;
            message: string | null;
            detail: components["schemas"]["Tag"] | null;
        };
        /**
         * APIResponse_UserRow
         * @description The envelope with a payload of a known type.
         */
        APIResponse_UserRow: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message: string | null;
            /** @description Payload of the result. */
            detail: components["schemas"]["UserRow"] | null;
        };
        /**
         * APIResponse_WorkOrder
         * @description The envelope with a payload of a known type.
         */
        APIResponse_WorkOrder: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["WorkOrder"] | null;
        };
        /**
         * APIResponse_WorkOrderFull
         * @description The envelope with a payload of a known type.
         */
        APIResponse_WorkOrderFull: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["WorkOrderFull"] | null;
        };
        /**
         * APIResponse_WorkSession
         * @description The envelope with a payload of a known type.
         */
        APIResponse_WorkSession: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["WorkSession"] | null;
        };
        /**
         * APIResponse_list_Department
         * @description The envelope with a payload of a known type.
         */
        APIResponse_list_Department: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message: string | null;
            /** @description Payload of the result. */
            detail: components["schemas"]["Department"][] | null;
        };
        /**
         * APIResponse_list_Job
         * @description The envelope with a payload of a known type.
         */
        APIResponse_list_Job: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["Job"][] | null;
        };
        /**
         * APIResponse_list_JobRow
         * @description The envelope with a payload of a known type.
         */
        APIResponse_list_JobRow: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["JobRow"][] | null;
        };
        /**
         * APIResponse_list_QueuedWorkOrder
         * @description The envelope with a payload of a known type.
         */
        APIResponse_list_QueuedWorkOrder: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["QueuedWorkOrder"][] | null;
        };
        /**
         * APIResponse_list_Tag__
         * @description The envelope with tags.
         */
        APIResponse_list_Tag__: {
            /** Format: int64 */
            status: number;
            message: string | null;
            detail: components["schemas"]["Tag"][] | null;
        };
        /**
         * APIResponse_list_TraceabilityRow
         * @description The envelope with a payload of a known type.
         */
        APIResponse_list_TraceabilityRow: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /** @description Payload of the result. */
            detail?: components["schemas"]["TraceabilityRow"][] | null;
        };
        /**
         * APIResponse_list_UserRow
         * @description The envelope with a payload of a known type.
         */
        APIResponse_list_UserRow: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message: string | null;
            /** @description Payload of the result. */
            detail: components["schemas"]["UserRow"][] | null;
        };
        /**
         * APIResponse_number_double
         * @description The envelope with a payload of a known type.
         */
        APIResponse_number_double: {
            /**
             * Format: int64
             * @description Status code of the result.
             */
            status: number;
            /** @description Text for people. */
            message?: string | null;
            /**
             * Format: double
             * @description Payload of the result.
             */
            detail?: number | null;
        };
        /**
         * @description Where a text stands in its field.
         * @enum {string}
         */
        Alignment: "center" | "left" | "right";
        /**
         * ApiTokenNew
         * @description An API token to be created.
         */
        ApiTokenNew: {
            /**
             * Format: note
             * @default API token
             */
            token_description?: string;
            /**
             * Format: date-time
             * @description In the future, at most five years ahead; without it the token is valid for one year.
             */
            token_expiration?: string | null;
        };
        /**
         * AqlAnswer
         * @description What a query found and what it took.
         */
        AqlAnswer: {
            /** @description The name under which it could be stopped. */
            query_id: string;
            /** @description The rows; members of objects are in the order in which the query wrote them. */
            rows: unknown[];
            /** @description Whether there are more rows than these. */
            truncated: boolean;
            warnings: components["schemas"]["AqlWarning"][];
            /** @description What the query took; null when it was ended before its end, or only explained. */
            stats: components["schemas"]["AqlStats"] | null;
            /** @description How it runs, with `explain` and `profile`. */
            plan: components["schemas"]["AqlPlan"] | null;
            /** @description Seconds of its stages, with `profile`. */
            stages: {
                [key: string]: number;
            } | null;
        };
        /**
         * AqlAttribute
         * @description An attribute of documents.
         */
        AqlAttribute: {
            name: string;
            /** @description Types of its values, as `TYPENAME` tells them. */
            types: string[];
        };
        /**
         * AqlCollection
         * @description A collection.
         */
        AqlCollection: {
            name: string;
            type: components["schemas"]["AqlCollectionType"];
            /** Format: uint64 */
            count: number;
            /** @description Attributes of a hundred of its documents, and one level of their members: `references.sales_doc`, `data[*].value`. */
            attributes: components["schemas"]["AqlAttribute"][];
            indexes: components["schemas"]["AqlIndex"][];
            /** @description Collections in which its edges begin, as the data model has it. */
            from: string[];
            /** @description Collections in which its edges end. */
            to: string[];
        };
        /**
         * @description What a collection holds.
         * @enum {string}
         */
        AqlCollectionType: "document" | "edge";
        /**
         * AqlFunction
         * @description A function of AQL.
         */
        AqlFunction: {
            name: string;
            /** Format: uint64 */
            min_arguments: number;
            /**
             * Format: uint64
             * @description Null for any number.
             */
            max_arguments: number | null;
        };
        /**
         * AqlIndex
         * @description An index of a collection.
         */
        AqlIndex: {
            type: string;
            fields: unknown[];
            unique: boolean;
        };
        /**
         * AqlLimits
         * @description What a query may take.
         */
        AqlLimits: {
            /**
             * Format: uint64
             * @description The most rows of an answer.
             */
            rows: number;
            /**
             * Format: uint64
             * @description The most bytes of the rows of an answer.
             */
            bytes: number;
            /**
             * Format: double
             * @description How long a query may run.
             */
            seconds: number;
            /**
             * Format: uint64
             * @description How much memory a query may hold at the database.
             */
            memory_bytes: number;
        };
        /**
         * AqlPlan
         * @description How the database runs a query.
         */
        AqlPlan: {
            /** @description The nodes in the order in which rows pass them. */
            nodes: components["schemas"]["AqlPlanNode"][];
            /** Format: double */
            estimated_cost: number | null;
            /** Format: double */
            estimated_rows: number | null;
            /** @description Rules of the optimizer that were applied. */
            rules: string[];
            collections: components["schemas"]["AqlPlanCollection"][];
        };
        /**
         * AqlPlanCollection
         * @description A collection that a query uses.
         */
        AqlPlanCollection: {
            name: string;
            /** @description `read`, or how else it is used. */
            access: string;
        };
        /**
         * AqlPlanIndex
         * @description An index that a node reads.
         */
        AqlPlanIndex: {
            name: string | null;
            type: string | null;
            fields: unknown[];
        };
        /**
         * AqlPlanNode
         * @description A node of a plan.
         */
        AqlPlanNode: {
            /** Format: int64 */
            id: number;
            /** @description What it is, by the database's name. */
            type: string;
            /** @description Nodes whose rows it takes. */
            dependencies: number[];
            /** Format: double */
            estimated_cost: number | null;
            /** Format: double */
            estimated_rows: number | null;
            /**
             * Format: uint64
             * @description How often it was asked for rows; this and the other figures are null unless the query was profiled.
             */
            calls: number | null;
            /**
             * Format: uint64
             * @description Rows that it handed on.
             */
            rows: number | null;
            /**
             * Format: uint64
             * @description Rows that it left out.
             */
            filtered: number | null;
            /**
             * Format: double
             * @description Time it took together with the nodes before it.
             */
            seconds: number | null;
            /** @description The collection that it reads. */
            collection: string | null;
            /** @description The indexes that it reads. */
            indexes: components["schemas"]["AqlPlanIndex"][];
            /** @description The nodes of a subquery. */
            subquery: components["schemas"]["AqlPlanNode"][];
            /** @description The node as the database tells it. */
            node: unknown;
        };
        /**
         * AqlQuestion
         * @description A query in AQL.
         */
        AqlQuestion: {
            /** @description The query. */
            query: string;
            /**
             * @description Its parameters; the name of one that stands for a collection begins with `@`. `@users` that is not given is the list
             *     of users without what is secret of them.
             */
            bind_vars?: {
                [key: string]: unknown;
            } | null;
            /** @description A name under which the query can be stopped, of letters, digits, `_` and `-`; the service gives one when absent. */
            query_id?: string | null;
            /**
             * Format: uint64
             * @description The most rows of the answer.
             * @default 1000
             */
            limit?: number;
            /**
             * @description Only tell the plan, and run nothing.
             * @default false
             */
            explain?: boolean;
            /**
             * @description Run all of it, and tell the plan with what each node did.
             * @default false
             */
            profile?: boolean;
        };
        /**
         * AqlSchema
         * @description What can be asked for.
         */
        AqlSchema: {
            /** @description The collections that can be read, by name. */
            collections: components["schemas"]["AqlCollection"][];
            /** @description The functions of AQL, by name. */
            functions: components["schemas"]["AqlFunction"][];
            keywords: string[];
            limits: components["schemas"]["AqlLimits"];
            /** @description Collections that cannot be read: they hold secrets. */
            hidden: string[];
        };
        /**
         * AqlStats
         * @description What a query took.
         */
        AqlStats: {
            /**
             * Format: uint64
             * @description Documents that were read from end to end of a collection.
             */
            scanned_full: number;
            /**
             * Format: uint64
             * @description Entries of indexes that were read.
             */
            scanned_index: number;
            /**
             * Format: uint64
             * @description Rows that conditions left out.
             */
            filtered: number;
            /**
             * Format: uint64
             * @description Requests between the servers of a cluster.
             */
            http_requests: number;
            /**
             * Format: uint64
             * @description The most memory that it held.
             */
            peak_memory_bytes: number;
            /** Format: double */
            execution_seconds: number;
        };
        /**
         * AqlStopped
         * @description A query that was stopped.
         */
        AqlStopped: {
            query_id: string;
            /** @description Always true: a query that does not run is 404. */
            stopped: boolean;
        };
        /**
         * AqlWarning
         * @description A warning of the database.
         */
        AqlWarning: {
            /** Format: int64 */
            code: number;
            message: string;
        };
        /**
         * AssignedJob
         * @description A job with how things stand with its order.
         */
        AssignedJob: {
            _id: string;
            _key: string;
            _rev: string;
            wo_key?: string | null;
            wo_code?: string | null;
            phase_key?: string | null;
            phase_alias?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            operation_key?: string | null;
            project_code?: string | null;
            parameters?: components["schemas"]["PhaseParameters"] | null;
            first_phase?: boolean | null;
            last_phase?: boolean | null;
            stage?: components["schemas"]["WorkOrderStatus"] | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            start?: string | null;
            end?: string | null;
            active?: boolean | null;
            critical?: boolean | null;
            /** Format: double */
            qt_planned?: number | null;
            /** Format: double */
            qt_completed?: number | null;
            /** Format: double */
            qt_released?: number | null;
            /** @description Whole steps, as they were when the order was planned, with the names of their files. */
            step_sequence?: unknown[] | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            active_batch_key?: string | null;
            /** Format: double */
            active_batch_qt?: number | null;
            /** @description Whether the next batch can begin; null on a closed job. */
            next_batch_available?: boolean | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            on_time?: boolean | null;
            last_work_session_started?: string | null;
            last_online?: string | null;
            job_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            forced?: string | null;
            notes?: string | null;
            extra?: unknown;
            trash?: boolean | null;
            /** @description Key of the user who is to do it. */
            assigned_to?: string | null;
            /**
             * Format: int64
             * @description Open issues of its order.
             */
            issues_open: number;
            /**
             * Format: int64
             * @description Issues of its order.
             */
            issues_total: number;
        };
        /**
         * AuthAPIResponse
         * @description The envelope of a login, with the token beside it as OAuth 2.0 wants it.
         */
        AuthAPIResponse: {
            /** Format: int64 */
            status: number;
            message: string | null;
            detail: unknown;
            access_token: string | null;
            token_type: string | null;
        };
        /**
         * BatchExecution
         * @description A batch with what was recorded of each step.
         */
        BatchExecution: {
            _id: string;
            _key: string;
            _rev: string;
            job_key?: string | null;
            phase_key?: string | null;
            work_order_key?: string | null;
            product_key?: string | null;
            start?: string | null;
            end?: string | null;
            active?: boolean | null;
            /** Format: double */
            qt_pass?: number | null;
            /** Format: double */
            qt_scrap?: number | null;
            /** Format: double */
            qt_total?: number | null;
            /** Format: double */
            unit_material_cost?: number | null;
            /** Format: double */
            value?: number | null;
            canceled?: string | null;
            forced?: string | null;
            /** @description In the order of the steps. */
            step_data: components["schemas"]["BatchStep"][];
        };
        /**
         * BatchSerial
         * @description A serial of a batch with what was put into it.
         */
        BatchSerial: {
            _id: string;
            _key: string;
            _rev: string;
            code?: string | null;
            /** @description `User/<key>`. */
            created_by?: string | null;
            product_key?: string | null;
            wo_key?: string | null;
            counter_key?: string | null;
            user_key?: string | null;
            /** Format: double */
            quantity?: number | null;
            /** Format: date-time */
            created?: string | null;
            /**
             * Format: date-time
             * @description Null while it is in production.
             */
            released?: string | null;
            data?: components["schemas"]["SerialFormFieldValue"][] | null;
            /** @description False, true, or the key of the event that deleted it. */
            deleted?: unknown;
            /** @description Components of the same work order that were not replaced. */
            children: components["schemas"]["SerialRecord"][];
        };
        /**
         * BatchStep
         * @description What was recorded of a step.
         */
        BatchStep: {
            /** @description Key of the step. */
            _key?: string | null;
            type?: string | null;
            done: boolean;
            critical: boolean;
            form_data: unknown[];
            execution_record_key?: string | null;
        };
        /**
         * BlankPdf
         * @description A blank page.
         */
        BlankPdf: {
            /** Format: double */
            width: number;
            /** Format: double */
            height: number;
            /**
             * @default [
             *       0,
             *       0,
             *       0,
             *       0
             *     ]
             */
            padding?: number[];
        };
        /**
         * Body_authenticate_user_auth_post
         * @description The form of a login.
         */
        Body_authenticate_user_auth_post: {
            /** @description `password` when given. */
            grant_type?: string | null;
            username: string;
            password: string;
            /**
             * @description Accepted and ignored.
             * @default
             */
            scope?: string;
            /** @description Accepted and ignored. */
            client_id?: string | null;
            /** @description Accepted and ignored. */
            client_secret?: string | null;
        };
        /**
         * Body_copy_product_product_copy_post
         * @description What is copied, and how the copy is called.
         */
        Body_copy_product_product_copy_post: {
            /** @description Key of the product, with `by_code` its code. */
            original_product: string;
            /** Format: name */
            new_code: string;
            /**
             * Format: note
             * @description That of the original when absent.
             */
            new_description?: string | null;
            /** @default false */
            by_code?: boolean;
        };
        /**
         * Body_create_counting_session_inventory_count_session_post
         * @description A session and who counts what in it.
         */
        Body_create_counting_session_inventory_count_session_post: {
            count_session: components["schemas"]["InventoryCountSession"];
            assignments: components["schemas"]["InventoryCountAssignmentNew"][];
        };
        Body_create_media_media_create_post: {
            /** Format: binary */
            file: string;
        };
        Body_create_product_product_post: {
            code: string;
            /** @default  */
            description?: string;
            /** Format: binary */
            image?: string | null;
            /** @default  */
            traceability_level?: string;
            /** @default  */
            counter_key?: string;
            /** @default false */
            manage_inventory?: boolean;
            /** @default false */
            serial_code_on_creation?: boolean;
        };
        /** Body_delete_counting_assignments_inventory_count_assignment_delete */
        Body_delete_counting_assignments_inventory_count_assignment_delete: {
            assignment_keys: string[];
        };
        /**
         * Body_delete_files_files_delete
         * @description The files to delete.
         */
        Body_delete_files_files_delete: {
            filenames: string[];
            bucket: components["schemas"]["FileBucket"];
            object_key: string;
            subfolder?: string | null;
        };
        Body_import_count_records_inventory_count_record_import_post: {
            count_session_key: string;
            import_mode: string;
            /** @default true */
            dry_run?: boolean;
            /** Format: binary */
            file?: string | null;
            file_key?: string | null;
        };
        Body_import_products_product_import_post: {
            /** @default true */
            dry_run?: boolean;
            /** Format: binary */
            file?: string | null;
            file_key?: string | null;
        };
        Body_replace_product_image_product__product_key__image_put: {
            /** Format: binary */
            new_image: string;
        };
        /** Body_reset_user_password_user__user_key__password_put */
        Body_reset_user_password_user__user_key__password_put: {
            new_password: string;
            /** @description The password so far; needed with the token of a session. */
            current_password?: string | null;
        };
        Body_save_doc_product__product_key__doc_post: {
            /** Format: binary */
            new_doc: string;
        };
        Body_save_step_media_step__step_key__media_post: {
            /** Format: binary */
            media_file: string;
        };
        /**
         * Body_search_movement_lists_movement_list_get
         * @description Lists to choose from; beside the query parameters.
         */
        Body_search_movement_lists_movement_list_get: {
            list_key?: string[] | null;
            status?: components["schemas"]["MovementStatus"][] | null;
        };
        /** Body_start_user_session_session_post */
        Body_start_user_session_session_post: {
            user_key: string;
        };
        Body_update_config_file_config__key__file_put: {
            /** Format: binary */
            file?: string | null;
        };
        Body_update_media_media__media_key__patch: {
            /** Format: binary */
            file: string;
        };
        Body_update_user_image_user__user_key__image_put: {
            /** Format: binary */
            new_image: string;
        };
        /**
         * Body_update_work_order_quantities_work_order__wo_key__update_quantities_patch
         * @description A new quantity, and what it means for the jobs.
         */
        Body_update_work_order_quantities_work_order__wo_key__update_quantities_patch: {
            /** Format: double */
            new_quantity: number;
            /** @description One after the other; the order of the path is meant. */
            job_updates: components["schemas"]["JobUpdate"][];
        };
        /**
         * Body_update_work_order_work_order__wo_key__patch
         * @description What changes of a work order. What is absent or null stays.
         */
        Body_update_work_order_work_order__wo_key__patch: {
            /** @description A date or a time; an empty text clears it. */
            new_due_date?: string | null;
            /** @description A date or a time; an empty text clears it. */
            new_from_date?: string | null;
            /** @description An empty text clears it. */
            new_project_code?: string | null;
            /** @description An empty text means the configured one. */
            new_output_position_key?: string | null;
            /**
             * Format: note
             * @description An empty text clears them.
             */
            notes?: string | null;
            /** @description An empty list empties the bill of materials when at most `new_output_position_key` stands beside it. */
            new_bom?: components["schemas"]["WOBomLineInput"][] | null;
        };
        Body_upload_files_files_post: {
            contents: string[];
            bucket: components["schemas"]["FileBucket"];
            object_key: string;
            subfolder?: string | null;
            /** @default false */
            reset_folder?: boolean;
        };
        /** Body_verify_user_password_user__user_key__verify_post */
        Body_verify_user_password_user__user_key__verify_post: {
            password: string;
        };
        /**
         * BomLineConsumptionOptions
         * @description How a component is taken from stock.
         */
        BomLineConsumptionOptions: {
            /** @description Position it is taken from. */
            consumption_position_key?: string | null;
            /**
             * @description Whether it may be taken from nowhere else.
             * @default false
             */
            consumption_position_mandatory?: boolean;
            /**
             * @description Whether the minimum applies when stock goes below zero.
             * @default false
             */
            minimum_quantity_if_negative?: boolean;
            /**
             * Format: double
             * @description Least quantity taken at once.
             */
            minimum_quantity?: number | null;
        };
        /**
         * BomLineRead
         * @description A line of a bill of materials.
         */
        BomLineRead: {
            component_key: string;
            bom_line_key: string;
            component_code: string | null;
            component_description: string | null;
            /**
             * Format: double
             * @description Quantity in one product.
             */
            qt: number | null;
            phase_key: string | null;
            /** @description Alias of the phase. */
            phase_name: string | null;
            /** @description Of the component. */
            traceability_level: string | null;
            consumption_options: components["schemas"]["BomLineConsumptionOptions"];
            extra: unknown;
        };
        /**
         * BomLineWriteIn
         * @description A line of a bill of materials to be written.
         */
        BomLineWriteIn: {
            /** @description Ignored: every line is written anew. */
            bom_line_key?: string | null;
            /** @description The component; without `by_code` it is needed. */
            component_key?: string | null;
            /** @description The component; with `by_code` it is needed. */
            component_code?: string | null;
            /**
             * Format: double
             * @description Quantity in one product.
             */
            qt: number;
            /** @description The product's last phase when absent. */
            phase_key?: string | null;
            /**
             * @description A line is stored as `BomLine` whatever is sent.
             * @default BomLine
             */
            type?: string;
            traceability_level?: string | null;
            consumption_options?: components["schemas"]["BomLineConsumptionOptions"] | null;
            extra?: unknown;
        };
        /**
         * BulkEventRequest
         * @description Events of one type, and what they have in common.
         */
        BulkEventRequest: {
            shared_data: components["schemas"]["EventInfoModel"];
            /** @description What each event says beside it, 1 to 1,000 of them; what stands here wins. */
            events: {
                [key: string]: unknown;
            }[];
        };
        /**
         * @description What a row of contents is.
         * @enum {string}
         */
        ContentType: "position" | "product" | "serial";
        /**
         * @description What happens to the records that are there.
         * @enum {string}
         */
        CountImportMode: "update" | "replace";
        /**
         * CountImportValidation
         * @description A file without errors and what its execution will do.
         */
        CountImportValidation: {
            /** @description `valid`. */
            status: string;
            /** @description Names the file at the execution. */
            file_key: string;
            filename: string;
            /** Format: uint64 */
            rows_total: number;
            /** Format: uint64 */
            rows_valid: number;
            /**
             * Format: uint64
             * @description Different pairs of product and position.
             */
            records_to_add: number;
            /** Format: uint64 */
            records_to_discard: number;
            import_mode: components["schemas"]["CountImportMode"];
            /** @description Columns that mean nothing to an import. */
            ignored_columns: string[];
        };
        /**
         * CountedSerial
         * @description A serial in a count record.
         */
        CountedSerial: {
            serial_key: string;
            serial_code?: string | null;
        };
        /**
         * Counter
         * @description How codes are made: a number that counts up, and what stands around it.
         */
        Counter: {
            _id?: string | null;
            _key?: string | null;
            /** @description Compared only when `next_tick` is lower than the stored one. */
            _rev?: string | null;
            /**
             * Format: name
             * @description Unique when it is not empty, whatever its case.
             * @default
             */
            name?: string;
            /**
             * Format: int64
             * @description The number of the next code.
             * @default 1
             */
            next_tick?: number;
            /**
             * @description What a code is made of: dates of the site (`%Y %y %G %g %m %d %j %V %U %W %u %H %M %S`), the number with zeros
             *     before it up to N digits (`#N`), and texts.
             * @default []
             */
            template?: string[];
            /** @description When counting begins anew with 1; with `none` or without it, never. The template must tell the periods apart. */
            frequency?: string | null;
            /**
             * Format: date-time
             * @description When counting begins anew the next time; by default at the beginning of the next period.
             */
            reset_date?: string | null;
        };
        /**
         * CustomData
         * @description A value of any shape under a key.
         */
        CustomData: {
            _id?: string | null;
            /** @description Lower-case letters, digits and underscores, a letter first. */
            _key?: string | null;
            _rev?: string | null;
            /** @description Any JSON. */
            value: unknown;
            description?: string | null;
        };
        /**
         * CustomField
         * @description The definition of a form field.
         */
        CustomField: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            type: components["schemas"]["FieldType"];
            /** @description Unique by its slug: the lower-case letters and digits of what stands outside parentheses. */
            name: string;
            default_label?: string | null;
            default_hint?: string | null;
        };
        /**
         * CustomListValue
         * @description A value of a choice field.
         */
        CustomListValue: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            /** @description The field of the path when absent. */
            field_key?: string | null;
            /** @description Key in another system. */
            ext_key?: string | null;
            value: string;
        };
        /**
         * DeclaredLine
         * @description A line of the bill of materials with what was declared of it.
         */
        DeclaredLine: {
            component_key: string;
            component_code?: string | null;
            component_description?: string | null;
            /**
             * Format: double
             * @description Quantity in one product.
             */
            qt: number;
            phase_key?: string | null;
            /** @description Alias of the phase. */
            phase_name?: string | null;
            consumption_options?: components["schemas"]["BomLineConsumptionOptions"] | null;
            /** @description Of the component. */
            traceability_level?: string | null;
            /** @description Whether stock of the component is kept. */
            manage_inventory?: boolean | null;
            /** @description The line of the product's bill of materials it comes from. */
            bom_line_key?: string | null;
            extra?: unknown;
            declared_serials: components["schemas"]["DeclaredSerial"][];
        };
        /**
         * DeclaredSerial
         * @description A component that was declared for the active batch.
         */
        DeclaredSerial: {
            _key: string;
            code?: string | null;
            phase_key?: string | null;
            component_key?: string | null;
            /** @description The unit it is built into; null for the batch as a whole. */
            parent_serial_key?: string | null;
            batch_key?: string | null;
            link_key: string;
        };
        /**
         * Department
         * @description A department.
         */
        Department: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name?: string | null;
            code?: string | null;
            description?: string | null;
        };
        /**
         * DepartmentNew
         * @description A department to be created.
         */
        DepartmentNew: {
            /**
             * Format: name
             * @description Unique, whatever its case.
             */
            name: string;
            /**
             * Format: name
             * @description Unique, whatever its case.
             */
            code?: string | null;
            /** Format: note */
            description?: string | null;
        };
        /**
         * DepartmentUpdate
         * @description What changes of a department. What is absent stays.
         */
        DepartmentUpdate: {
            /**
             * Format: name
             * @description Not null.
             */
            name?: string | null;
            /** Format: name */
            code?: string | null;
            /** Format: note */
            description?: string | null;
        };
        /**
         * @description Font of large figures.
         * @enum {string}
         */
        DisplayFont: "orbitron" | "red-hat-display";
        /**
         * DynamicFontSize
         * @description The size of a text that fits its field.
         */
        DynamicFontSize: {
            fit?: string | null;
            /** Format: double */
            max?: number | null;
            /** Format: double */
            min?: number | null;
        };
        /**
         * ErrorResponse
         * @description Any other error.
         */
        ErrorResponse: {
            /** @description A text, an object with a `message`, or where a 422 may also be a text the entries of a validation error. */
            detail: unknown;
        };
        /**
         * @description What an event can happen in the context of.
         * @enum {string}
         */
        EventContextType: "task";
        /**
         * EventInfoModel
         * @description The members that every event has. The others depend on the type, see `Event_<TYPE>`.
         */
        EventInfoModel: {
            /** @description A member of some types; never the key of the event. */
            _key?: string | null;
            event_type: components["schemas"]["EventType"];
            /** @description A UUID that stands for this event: sent again, it is not recorded again. */
            event_key?: string | null;
            /** @description A UUID that events of one action have in common. */
            event_group?: string | null;
            primary?: boolean | null;
            /** @description `task`, or nothing. */
            context_type?: string | null;
            context_key?: string | null;
            /** @description The user it is recorded for; another one than the caller needs `org:user:act-as`. */
            user_key?: string | null;
            user_session_key?: string | null;
            /**
             * Format: date-time
             * @description When it happened; without it now.
             */
            timestamp?: string | null;
            description?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * EventRow
         * @description An event of the journal: the members that all have, and those of its type, see `Event_<TYPE>`.
         */
        EventRow: {
            _key: string;
            event_type: string;
            event_group?: string | null;
            /**
             * Format: int64
             * @description Number in its group: 0 for what was posted, then what that made.
             */
            sequence?: number | null;
            primary?: boolean | null;
            context_type?: string | null;
            context_key?: string | null;
            user_key?: string | null;
            user_session_key?: string | null;
            /** @description Who reported it, when it is another user. */
            recorded_by?: string | null;
            timestamp: string;
            /** @description When the service got to know of it. */
            recorded?: string | null;
            description?: unknown;
            work_order_key?: string | null;
            job_key?: string | null;
            phase_key?: string | null;
            batch_key?: string | null;
            product_key?: string | null;
            serial_key?: string | null;
            /** @description All serials it concerns. */
            serial_keys?: string[] | null;
            /** @description Code of the task in whose context it happened. */
            context_code?: string | null;
            context_name?: string | null;
            context_icon?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The type of an event.
         * @enum {string}
         */
        EventType: "ACTIVE_BATCH_CHANGED" | "BATCH_COMPLETED" | "BATCH_RELEASED" | "STEP_COMPLETED" | "STEP_EDITED" | "JOB_STARTED" | "JOB_PAUSED" | "JOB_PAUSE_FORCED" | "JOB_RESUMED" | "JOB_CLOSED" | "ISSUE_CREATED" | "ISSUE_UPDATED" | "ISSUE_CLOSED" | "ISSUE_REOPENED" | "ISSUE_DELETED" | "MESSAGE_POSTED" | "MESSAGE_UPDATED" | "MESSAGE_DELETED" | "TASK_CREATED" | "TASK_UPDATED" | "TASK_COMPLETED" | "TASK_CANCELED" | "TASK_REOPENED" | "TASK_SUSPENDED" | "TASK_LINKED" | "TASK_UNLINKED" | "TASK_DELETED" | "BATCH_CREATED" | "BATCH_CANCELED" | "JOB_RESET" | "JOB_PAUSED_OFFLINE" | "JOB_BACK_ONLINE" | "PROGRESS_OVERRIDE_REQUESTED" | "TIME_OVERRIDE_REQUESTED" | "EXTRA_UPDATE_REQUESTED" | "SERIAL_BOOKED" | "SERIAL_CREATED" | "SERIAL_DELETED" | "SERIAL_LINKED" | "SERIAL_UNLINKED" | "SERIAL_UPDATED" | "SERIAL_BATCH_CONFIRMED" | "SERIAL_RELEASED" | "MOVEMENT_COMPLETED" | "MOVEMENT_DELETED" | "INVENTORY_PRODUCED" | "INVENTORY_CONSUMED" | "MOVEMENT_CREATED" | "MOVEMENT_PLANNED" | "MOVEMENT_UPDATED" | "MOVEMENT_REVERSED" | "MOVEMENT_CANCELED" | "INVENTORY_CHANGED" | "WAREHOUSE_LIST_CLOSED" | "WAREHOUSE_LIST_CREATED" | "ASSIGNMENT_STARTED" | "ASSIGNMENT_COMPLETED" | "COUNT_STARTED" | "COUNT_COMPLETED" | "COUNT_CANCELED" | "COUNT_DISCARDED" | "COUNT_IMPORTED" | "COUNT_APPLIED" | "COUNT_SESSION_STARTED" | "COUNT_SESSION_COMPLETED" | "COUNT_SESSION_RESUMED" | "COUNT_SESSION_APPLIED" | "COUNT_SESSION_CONFIRMED" | "COUNT_SESSION_CANCELED" | "POSITION_CONFIRMED_EMPTY" | "PRODUCT_IMPORTED" | "WORK_ORDER_CREATED" | "WORK_ORDER_CLOSED" | "WORK_ORDER_STARTED" | "WORK_ORDER_UPDATED" | "WORK_ORDER_CANCELED" | "WORK_SESSION_STARTED" | "WORK_SESSION_CLOSED" | "WORK_SESSION_CREATED" | "WORK_SESSION_CANCELED" | "WIP_BOOKED" | "WIP_UNBOOKED" | "WIP_REMOVED" | "WIP_DECLARED" | "QUEUE_UPDATED";
        /**
         * ExecutionDataUpdate
         * @description What was filled in of a step.
         */
        ExecutionDataUpdate: {
            /** @description Needed with `batch_key` where there is no record yet. */
            step_key?: string | null;
            batch_key?: string | null;
            /** @description The record, where there is one. */
            execution_record_key?: string | null;
            /** @default [] */
            form_data?: components["schemas"]["FormFieldValue"][];
        };
        /**
         * ExplorerHit
         * @description A document with a code.
         */
        ExplorerHit: {
            key: string;
            /** @description Its code; the key of an issue, which has no other. */
            code: string | null;
            /** @description Description of the product, title of a task, type of an issue, notes of a movement list. */
            title: string | null;
            /** @description The product of a serial, lot or work order, or the product itself. */
            product_key: string | null;
            product_code: string | null;
            /** @description `in_production` or `released` of a serial and a lot, `open` or `closed` of an issue, the status of others. */
            state: string | null;
            /** @description Whether its code is the one that was looked for, whatever the case. */
            exact: boolean;
        };
        /**
         * ExplorerHitGroup
         * @description The hits of one kind.
         */
        ExplorerHitGroup: {
            kind: components["schemas"]["ExplorerHitKind"];
            /** @description Those with exactly this code first, then by code. */
            hits: components["schemas"]["ExplorerHit"][];
            /** @description Whether there are more than the limit. */
            more: boolean;
        };
        /**
         * @description What has a code.
         * @enum {string}
         */
        ExplorerHitKind: "serial" | "lot" | "product" | "work_order" | "position" | "movement_list" | "task" | "issue";
        /**
         * ExplorerHits
         * @description What a text was found as.
         */
        ExplorerHits: {
            /** @description What was looked for, without blanks at its ends. */
            q: string;
            /** @description The kinds of which there are hits. */
            groups: components["schemas"]["ExplorerHitGroup"][];
        };
        /**
         * ExplorerScopes
         * @description The fine scopes of a caller.
         */
        ExplorerScopes: {
            /** @description Every fine scope that the caller has, by name. */
            scopes: string[];
        };
        /**
         * @description What a form field holds.
         * @enum {string}
         */
        FieldType: "text" | "number" | "boolean" | "ternary" | "choice" | "date" | "time" | "files" | "separator";
        /**
         * @description What kind of entity a file belongs to.
         * @enum {string}
         */
        FileBucket: "issue" | "product" | "step" | "traceability" | "user" | "serial" | "task";
        /**
         * @description How two conditions combine.
         * @enum {string}
         */
        FilterOperator: "AND" | "OR";
        /**
         * FormFieldDefinition
         * @description A field of a form.
         */
        FormFieldDefinition: {
            _key?: string | null;
            custom_field_key: string;
            /** @default false */
            multiple?: boolean;
            label?: string | null;
            hint?: string | null;
            /** @description Needed by a hidden field. */
            default?: string | null;
            /** @default false */
            mandatory?: boolean;
            hidden?: boolean | null;
        };
        /**
         * FormFieldValue
         * @description What was recorded in a field of a form.
         */
        FormFieldValue: {
            /** @description Key of the field in the form. */
            form_field_key: string;
            /** @description Key of the custom field. */
            custom_field_key?: string | null;
            /** @description Whatever the type of the field takes. */
            value?: unknown;
        };
        /**
         * GridValue
         * @description A configured field with the value recorded for a serial. It may have more members than these.
         */
        GridValue: {
            _key?: string | null;
            name?: string | null;
            /** @description Type of the field. */
            type?: string | null;
            value: unknown;
        };
        /**
         * HTTPValidationError
         * @description Everything that is wrong with a request.
         */
        HTTPValidationError: {
            /** @description One entry for each thing wrong. */
            detail?: components["schemas"]["ValidationError"][] | null;
        };
        /**
         * Heartbeat
         * @description When a screen gave its last sign of life.
         */
        Heartbeat: {
            last_online: string;
        };
        /**
         * @description The page after the login.
         * @enum {string}
         */
        HomePageOptions: "adminPanel" | "libraryRoot" | "productionRoot" | "operatorRoot" | "qualityRoot" | "taskRoot" | "reportRoot" | "warehouseRoot";
        /**
         * InventoryCountAssignment
         * @description Something to be counted by somebody.
         */
        InventoryCountAssignment: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            inventory_count_session_key: string;
            target_type: components["schemas"]["InventoryCountSessionType"];
            target_key: string;
            /** @description Whether the positions in the target are to be counted too. */
            include_children?: boolean | null;
            assigned_to?: string | null;
            /** @default planned */
            status?: components["schemas"]["InventoryCountAssignmentStatus"];
            /** Format: date-time */
            created?: string | null;
            created_by?: string | null;
            /** Format: date-time */
            started?: string | null;
            /** Format: date-time */
            completed?: string | null;
            notes?: string | null;
            /** @description Anything. */
            extra?: unknown;
        };
        /**
         * InventoryCountAssignmentNew
         * @description What a user counts.
         */
        InventoryCountAssignmentNew: {
            user_key: string;
            /** @description Keys of positions or products, as the session counts by. */
            target_keys?: string[] | null;
            /** @description The same, saying of each whether the positions in it are to be counted too. */
            targets?: components["schemas"]["InventoryCountTarget"][] | null;
        };
        /**
         * @description What assignments are sorted by.
         * @enum {string}
         */
        InventoryCountAssignmentOrder: "product" | "position";
        /**
         * @description How far an assignment has come.
         * @enum {string}
         */
        InventoryCountAssignmentStatus: "planned" | "started" | "completed" | "canceled";
        /**
         * InventoryCountAssignmentSummary
         * @description An assignment within its session.
         */
        InventoryCountAssignmentSummary: {
            _key: string;
            target_key: string;
            status: components["schemas"]["InventoryCountAssignmentStatus"];
            target_data: components["schemas"]["InventoryCountTargetData"];
            include_children: boolean;
        };
        /**
         * InventoryCountRecord
         * @description One count of a product at a position.
         */
        InventoryCountRecord: {
            _id: string;
            _key: string;
            _rev: string;
            /** @description Identifier of the product. */
            _from: string;
            /** @description Identifier of the position. */
            _to: string;
            /** Format: double */
            system_qt?: number | null;
            system_serial_keys?: string[] | null;
            /** Format: date-time */
            system_at?: string | null;
            /** Format: double */
            counted_qt?: number | null;
            counted_serial_keys?: string[] | null;
            /** Format: date-time */
            counted_at?: string | null;
            inventory_count_session_key?: string | null;
            assignment_key?: string | null;
            user_key?: string | null;
            status: components["schemas"]["InventoryCountRecordStatus"];
            /** Format: date-time */
            reviewed_at?: string | null;
            processed?: boolean | null;
            movement_keys?: string[] | null;
            notes?: string | null;
            /** @description Anything. */
            extra?: unknown;
            product_key: string;
            product_code?: string | null;
            product_description?: string | null;
            product_traceability_level?: string | null;
            product_tags: components["schemas"]["Tag"][];
            position_key: string;
            position_code?: string | null;
            position_deleted: boolean;
            /** @description Codes from below `IN` to the position. */
            position_path: string[];
            system_serials: components["schemas"]["CountedSerial"][];
            counted_serials: components["schemas"]["CountedSerial"][];
            /**
             * Format: double
             * @description What was counted less what the system knew; null while not counted.
             */
            delta?: number | null;
        };
        /**
         * @description How far a count record has come.
         * @enum {string}
         */
        InventoryCountRecordStatus: "started" | "completed" | "submitted" | "confirmed" | "discarded";
        /**
         * InventoryCountSession
         * @description A counting session.
         */
        InventoryCountSession: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            /** @description From a counter when not given. */
            code?: string | null;
            description?: string | null;
            type: components["schemas"]["InventoryCountSessionType"];
            /** @default planned */
            status?: components["schemas"]["InventoryCountSessionStatus"];
            /**
             * @description Whether those who count do not see the quantities.
             * @default true
             */
            blind_quantities?: boolean;
            /**
             * @description Whether those who count do not see the serials.
             * @default true
             */
            blind_serials?: boolean;
            /** Format: double */
            coverage_percentage?: number | null;
            /** Format: date-time */
            scheduled_start?: string | null;
            /** Format: date-time */
            scheduled_end?: string | null;
            /** Format: date-time */
            created?: string | null;
            created_by?: string | null;
            /** Format: date-time */
            started?: string | null;
            /** Format: date-time */
            completed?: string | null;
            baseline_snapshot_key?: string | null;
            post_count_snapshot_key?: string | null;
            post_adjustment_snapshot_key?: string | null;
            adjustment_list_key?: string | null;
            notes?: string | null;
            /** @description Anything. */
            extra?: unknown;
        };
        /**
         * InventoryCountSessionDetails
         * @description A session with what is to be counted in it.
         */
        InventoryCountSessionDetails: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            /** @description From a counter when not given. */
            code?: string | null;
            description?: string | null;
            type: components["schemas"]["InventoryCountSessionType"];
            /** @default planned */
            status?: components["schemas"]["InventoryCountSessionStatus"];
            /**
             * @description Whether those who count do not see the quantities.
             * @default true
             */
            blind_quantities?: boolean;
            /**
             * @description Whether those who count do not see the serials.
             * @default true
             */
            blind_serials?: boolean;
            /** Format: double */
            coverage_percentage?: number | null;
            /** Format: date-time */
            scheduled_start?: string | null;
            /** Format: date-time */
            scheduled_end?: string | null;
            /** Format: date-time */
            created?: string | null;
            created_by?: string | null;
            /** Format: date-time */
            started?: string | null;
            /** Format: date-time */
            completed?: string | null;
            baseline_snapshot_key?: string | null;
            post_count_snapshot_key?: string | null;
            post_adjustment_snapshot_key?: string | null;
            adjustment_list_key?: string | null;
            notes?: string | null;
            /** @description Anything. */
            extra?: unknown;
            /** @description By the key of the user who counts. */
            assignments: {
                [key: string]: components["schemas"]["InventoryCountAssignmentSummary"][];
            };
        };
        /**
         * @description How far a session has come.
         * @enum {string}
         */
        InventoryCountSessionStatus: "planned" | "started" | "completed" | "processing" | "applied" | "canceled";
        /**
         * @description What a session counts by.
         * @enum {string}
         */
        InventoryCountSessionType: "position" | "product";
        /**
         * InventoryCountSessionUpdate
         * @description What can be changed in a session.
         */
        InventoryCountSessionUpdate: {
            code?: string | null;
            description?: string | null;
            type?: components["schemas"]["InventoryCountSessionType"] | null;
            blind_quantities?: boolean | null;
            blind_serials?: boolean | null;
            /** Format: date-time */
            scheduled_start?: string | null;
            /** Format: date-time */
            scheduled_end?: string | null;
            notes?: string | null;
        };
        /**
         * InventoryCountTarget
         * @description Something to count.
         */
        InventoryCountTarget: {
            target_key: string;
            include_children?: boolean | null;
        };
        /**
         * InventoryCountTargetData
         * @description What is to be counted.
         */
        InventoryCountTargetData: {
            code?: string | null;
            description?: string | null;
        };
        /**
         * InventoryMovementReferences
         * @description What a movement has to do with.
         */
        InventoryMovementReferences: {
            /** @description The work order for which it is made. */
            work_order_key?: string | null;
            /** @description The job. */
            job_key?: string | null;
            /** @description The batch. */
            batch_key?: string | null;
            /** @description The movement that it undoes. */
            origin_movement_key?: string | null;
            /** @description The paper that goes along. */
            transfer_doc?: string | null;
            /** @description The order of a customer. */
            sales_doc?: string | null;
            /** @description The order at a supplier. */
            purchase_doc?: string | null;
            /** @description The customer or supplier by name. */
            partner_name?: string | null;
            /** @description The customer or supplier by code. */
            partner_code?: string | null;
            /** @description The count that it corrects stock by. */
            inventory_count_session_key?: string | null;
        };
        /**
         * InventoryMovementSearchResults
         * @description An entry of the movement journal.
         */
        InventoryMovementSearchResults: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            /** @description Identifier of the position it begins at. */
            _from: string;
            /** @description Identifier of the position it ends at. */
            _to: string;
            type: components["schemas"]["InventoryMovementType"];
            product_key?: string | null;
            serial_key?: string | null;
            /** Format: double */
            qt_planned?: number | null;
            /** Format: double */
            qt_confirmed?: number | null;
            status?: components["schemas"]["MovementStatus"] | null;
            /** Format: date-time */
            created?: string | null;
            /** Format: date-time */
            start?: string | null;
            /** Format: date-time */
            end?: string | null;
            inverse_movement_key?: string | null;
            movement_list_key?: string | null;
            /** Format: double */
            movement_list_item?: number | null;
            references?: components["schemas"]["InventoryMovementReferences"] | null;
            reason?: string | null;
            user_key?: string | null;
            /** @description Anything. */
            extra?: unknown;
            position_from_key?: string | null;
            position_from_code?: string | null;
            position_from_deleted?: boolean | null;
            position_to_key?: string | null;
            position_to_code?: string | null;
            position_to_deleted?: boolean | null;
            movement_list_code?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            serial_code?: string | null;
        };
        /**
         * @description What a movement does.
         * @enum {string}
         */
        InventoryMovementType: "transfer" | "receipt" | "shipment" | "production" | "consumption" | "adjustment" | "reversal";
        /**
         * InventoryPathItem
         * @description A position on the way to another.
         */
        InventoryPathItem: {
            position_key: string | null;
            position_code: string | null;
        };
        /**
         * InventorySearchResult
         * @description A stock record with where it lies.
         */
        InventorySearchResult: {
            _key: string;
            product_code: string | null;
            product_description: string | null;
            position_code: string | null;
            /** @description From below the root to the position that holds it. */
            path: components["schemas"]["InventoryPathItem"][] | null;
            serial_code: string | null;
            serial_key: string | null;
            product_key: string | null;
            position_key: string | null;
            /** Format: double */
            quantity: number;
            owned: boolean | null;
            /** Format: double */
            value: number | null;
            reference: string | null;
            /** @description Anything. */
            extra: unknown;
        };
        /**
         * IssueFormFieldValue
         * @description A field of an issue's form with its recorded value.
         */
        IssueFormFieldValue: {
            _key?: string | null;
            form_field_key?: string | null;
            custom_field_key?: string | null;
            /** @description Type of the field. */
            type?: string | null;
            label?: string | null;
            hint?: string | null;
            multiple?: boolean | null;
            mandatory?: boolean | null;
            hidden?: boolean | null;
            default?: unknown;
            value?: unknown;
        };
        /**
         * IssueLinks
         * @description The first document of each kind an issue is linked to.
         */
        IssueLinks: {
            job?: unknown;
            product?: unknown;
            operation?: unknown;
            phase?: unknown;
            work_order?: unknown;
            serial?: unknown;
        };
        /**
         * IssueSearchResult
         * @description An issue found by a search.
         */
        IssueSearchResult: {
            _id: string;
            _key: string;
            _rev: string;
            issue_type_key?: string | null;
            /** Format: date-time */
            created?: string | null;
            /** @description `User/<key>`. */
            created_by?: string | null;
            /** Format: date-time */
            closed?: string | null;
            /** @description `User/<key>`. */
            closed_by?: string | null;
            critical?: boolean | null;
            open?: boolean | null;
            /** @description The fields of the type's form that are recorded and still defined. */
            data: components["schemas"]["IssueFormFieldValue"][];
            icon?: string | null;
            issue_type_name?: string | null;
            phase_alias?: string | null;
            /** @description Only with `with_links`. */
            links?: components["schemas"]["IssueLinks"] | null;
        };
        /**
         * IssueType
         * @description A type of issue.
         */
        IssueType: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name: string;
            /** @description Unique among issue types. */
            code?: string | null;
            /** @default true */
            active?: boolean;
            description?: string | null;
            icon?: string | null;
            /** @default [] */
            form_template?: components["schemas"]["FormFieldDefinition"][];
            /** @default false */
            critical?: boolean;
        };
        /**
         * IssueTypeFull
         * @description A type of issue with its print templates.
         */
        IssueTypeFull: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name: string;
            /** @description Unique among issue types. */
            code?: string | null;
            /** @default true */
            active?: boolean;
            description?: string | null;
            icon?: string | null;
            /** @default [] */
            form_template?: components["schemas"]["FormFieldDefinition"][];
            /** @default false */
            critical?: boolean;
            print_templates?: components["schemas"]["PrintTemplateRecord-Output"][] | null;
        };
        /**
         * IssueTypeUpdate
         * @description Changes of a type of issue: what is absent stays.
         */
        IssueTypeUpdate: {
            /** @description Ignored: the path names the type. */
            _key?: string | null;
            code?: string | null;
            /** @description Not null. */
            name?: string | null;
            /** @description Null means true. */
            active?: boolean | null;
            description?: string | null;
            icon?: string | null;
            /** @description Not null. */
            form_template?: components["schemas"]["FormFieldDefinition"][] | null;
            /** @description Not null. */
            critical?: boolean | null;
        };
        /**
         * Job
         * @description A job.
         */
        Job: {
            _id: string;
            _key: string;
            _rev: string;
            wo_key?: string | null;
            wo_code?: string | null;
            phase_key?: string | null;
            phase_alias?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            operation_key?: string | null;
            project_code?: string | null;
            parameters?: components["schemas"]["PhaseParameters"] | null;
            first_phase?: boolean | null;
            last_phase?: boolean | null;
            stage?: components["schemas"]["WorkOrderStatus"] | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            start?: string | null;
            end?: string | null;
            active?: boolean | null;
            critical?: boolean | null;
            /** Format: double */
            qt_planned?: number | null;
            /** Format: double */
            qt_completed?: number | null;
            /** Format: double */
            qt_released?: number | null;
            /** @description Whole steps, as they were when the order was planned, with the names of their files. */
            step_sequence?: unknown[] | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            active_batch_key?: string | null;
            /** Format: double */
            active_batch_qt?: number | null;
            /** @description Whether the next batch can begin; null on a closed job. */
            next_batch_available?: boolean | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            on_time?: boolean | null;
            last_work_session_started?: string | null;
            last_online?: string | null;
            job_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            forced?: string | null;
            notes?: string | null;
            extra?: unknown;
            trash?: boolean | null;
            /** @description Key of the user who is to do it. */
            assigned_to?: string | null;
        };
        /**
         * JobAssignee
         * @description Who is to do a job; all null when nobody is.
         */
        JobAssignee: {
            _key?: string | null;
            name?: string | null;
            surname?: string | null;
            active?: boolean | null;
        };
        /**
         * JobAssignments
         * @description Who has which jobs.
         */
        JobAssignments: {
            assigned_jobs_by_operator: components["schemas"]["OperatorAssignment"][];
            unassigned_jobs: components["schemas"]["AssignedJob"][];
        };
        /**
         * JobData
         * @description What a screen needs to work on a job.
         */
        JobData: {
            _id: string;
            _key: string;
            _rev: string;
            wo_key?: string | null;
            wo_code?: string | null;
            phase_key?: string | null;
            phase_alias?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            operation_key?: string | null;
            project_code?: string | null;
            parameters?: components["schemas"]["PhaseParameters"] | null;
            first_phase?: boolean | null;
            last_phase?: boolean | null;
            stage?: components["schemas"]["WorkOrderStatus"] | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            start?: string | null;
            end?: string | null;
            active?: boolean | null;
            critical?: boolean | null;
            /** Format: double */
            qt_planned?: number | null;
            /** Format: double */
            qt_completed?: number | null;
            /** Format: double */
            qt_released?: number | null;
            /** @description Whole steps, as they were when the order was planned, with the names of their files. */
            step_sequence?: unknown[] | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            active_batch_key?: string | null;
            /** Format: double */
            active_batch_qt?: number | null;
            /** @description Whether the next batch can begin; null on a closed job. */
            next_batch_available?: boolean | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            on_time?: boolean | null;
            last_work_session_started?: string | null;
            last_online?: string | null;
            job_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            forced?: string | null;
            notes?: string | null;
            extra?: unknown;
            trash?: boolean | null;
            /** @description Key of the user who is to do it. */
            assigned_to?: string | null;
            wo_bom: components["schemas"]["DeclaredLine"][];
            /**
             * Format: int64
             * @description Issues that are linked to the job.
             */
            issue_count: number;
            product_notes?: string | null;
            phase_notes?: string | null;
            order_notes?: string | null;
            /**
             * Format: int64
             * @description Messages about the work order.
             */
            message_count: number;
        };
        /**
         * JobOperator
         * @description Who is to do a job.
         */
        JobOperator: {
            _key: string;
            name?: string | null;
            surname?: string | null;
            active: boolean;
            department_key?: string | null;
        };
        /**
         * JobParameters
         * @description Parameters of a job that change; the others stay.
         */
        JobParameters: {
            parallel_job_allowed?: boolean | null;
            step_check?: boolean | null;
            step_check_force_order?: boolean | null;
            /** Format: int64 */
            production_batch_qt?: number | null;
            /** Format: int64 */
            max_offline?: number | null;
            auto_new_batch?: boolean | null;
            /** Format: int64 */
            std_processing_time?: number | null;
            unsupervised_work_allowed?: boolean | null;
            display_job_timer?: boolean | null;
        };
        /**
         * JobRow
         * @description A job with who is to do it.
         */
        JobRow: {
            _id: string;
            _key: string;
            _rev: string;
            wo_key?: string | null;
            wo_code?: string | null;
            phase_key?: string | null;
            phase_alias?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            operation_key?: string | null;
            project_code?: string | null;
            parameters?: components["schemas"]["PhaseParameters"] | null;
            first_phase?: boolean | null;
            last_phase?: boolean | null;
            stage?: components["schemas"]["WorkOrderStatus"] | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            start?: string | null;
            end?: string | null;
            active?: boolean | null;
            critical?: boolean | null;
            /** Format: double */
            qt_planned?: number | null;
            /** Format: double */
            qt_completed?: number | null;
            /** Format: double */
            qt_released?: number | null;
            /** @description Whole steps, as they were when the order was planned, with the names of their files. */
            step_sequence?: unknown[] | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            active_batch_key?: string | null;
            /** Format: double */
            active_batch_qt?: number | null;
            /** @description Whether the next batch can begin; null on a closed job. */
            next_batch_available?: boolean | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            on_time?: boolean | null;
            last_work_session_started?: string | null;
            last_online?: string | null;
            job_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            forced?: string | null;
            notes?: string | null;
            extra?: unknown;
            trash?: boolean | null;
            assigned_to?: components["schemas"]["JobOperator"] | null;
        };
        /**
         * @description How jobs are shown for selection.
         * @enum {string}
         */
        JobSelectionLayout: "card" | "list";
        /**
         * JobUpdate
         * @description A change of a job.
         */
        JobUpdate: {
            action: components["schemas"]["JobUpdateType"];
            data: components["schemas"]["JobUpdateData"];
        };
        /**
         * JobUpdateData
         * @description What is said of the job: `_key` of one that exists; the order, the phase and the quantity of a new one.
         */
        JobUpdateData: {
            _key?: string | null;
            work_order_key?: string | null;
            phase_key?: string | null;
            /** Format: double */
            qt_planned?: number | null;
            /** @description Null for nobody. */
            assigned_to?: string | null;
            /** Format: note */
            notes?: string | null;
            /** @description A date or a time; null or an empty text for none. */
            start_from?: string | null;
            /** @description A date or a time; null or an empty text for none. */
            due_by?: string | null;
            parameters?: components["schemas"]["JobParameters"] | null;
            extra?: unknown;
        };
        /**
         * @description What is done with a job.
         * @enum {string}
         */
        JobUpdateType: "insert" | "update" | "close";
        /**
         * @description What the window of indicators counts.
         * @enum {string}
         */
        KPIWindowType: "time" | "count";
        /**
         * Keyed
         * @description Something that is named by its key, however much of it is sent.
         */
        Keyed: {
            _key?: string | null;
        };
        /**
         * @description Where the content of a field comes from.
         * @enum {string}
         */
        LinkType: "none" | "preset" | "custom_field" | "template_expression" | "computed";
        /**
         * Message
         * @description A message from a user.
         */
        Message: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            /** @description The sender. */
            _from: string;
            /** @description The recipient. */
            _to: string;
            content?: string | null;
            /** Format: date-time */
            created?: string | null;
            /** Format: date-time */
            updated?: string | null;
            /**
             * Format: date-time
             * @description When it was deleted.
             */
            deleted?: string | null;
        };
        /**
         * MovementListNew
         * @description A new list of movements.
         */
        MovementListNew: {
            /** @description Unique among the lists of its type. */
            code: string;
            /** @description What its movements do. */
            type: components["schemas"]["InventoryMovementType"];
            /** @description Remarks. */
            notes?: string | null;
            /**
             * Format: date
             * @description Today when not given.
             */
            due_by?: string | null;
            /** @description What it has to do with. */
            references?: components["schemas"]["InventoryMovementReferences"] | null;
            /** @description Anything. */
            extra?: unknown;
            /** @description `planned` when not given. */
            status?: components["schemas"]["NewMovementListStatus"] | null;
            /** @description Whether products are named by `product_code`. */
            by_code?: boolean | null;
            /** @description Its movements. */
            movements?: components["schemas"]["MovementNew"][] | null;
        };
        /**
         * MovementListSearch
         * @description What to search movement lists by.
         */
        MovementListSearch: {
            /** @description Part of the code. */
            search?: string | null;
            list_key?: string[] | null;
            includes_product_key?: string | null;
            includes_product_code?: string | null;
            /** Format: date */
            due_by_min?: string | null;
            /** Format: date */
            due_by_max?: string | null;
            status?: components["schemas"]["MovementStatus"][] | null;
            type?: components["schemas"]["InventoryMovementType"] | null;
            /** @description Only lists that are planned or started. */
            open_only?: boolean | null;
            /** Format: int64 */
            limit?: number | null;
            /** Format: int64 */
            offset?: number | null;
        };
        /**
         * MovementListWithCounts
         * @description A list of movements with the number of its movements in each status.
         */
        MovementListWithCounts: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            code: string;
            notes?: string | null;
            /** Format: date */
            due_by?: string | null;
            /** Format: date-time */
            created?: string | null;
            /** Format: date-time */
            start?: string | null;
            /** Format: date-time */
            end?: string | null;
            status?: components["schemas"]["MovementStatus"] | null;
            /** @description Anything. */
            extra?: unknown;
            references?: components["schemas"]["InventoryMovementReferences"] | null;
            type: components["schemas"]["InventoryMovementType"];
            /** @description `planned` and `completed` always, `started` and `canceled` when there are some. */
            counts: {
                [key: string]: number;
            };
        };
        /**
         * MovementNew
         * @description A movement of a new list.
         */
        MovementNew: {
            /** @description Key of the position it begins at. */
            position_from?: string | null;
            /** @description Key of the position it ends at. */
            position_to?: string | null;
            /** @description The type of the list when not given. */
            movement_type?: components["schemas"]["InventoryMovementType"] | null;
            /** @description What is moved, by key. */
            product_key?: string | null;
            /** @description What is moved, by code. */
            product_code?: string | null;
            /** @description The piece that is moved, by key. */
            serial_key?: string | null;
            /** @description The piece that is moved, by code. */
            serial_code?: string | null;
            /**
             * Format: double
             * @description 1 when not given.
             */
            qt_planned?: number | null;
            /**
             * Format: double
             * @description 0 when not given.
             */
            qt_confirmed?: number | null;
            /**
             * Format: double
             * @description The item of the list.
             */
            movement_list_item?: number | null;
            /** @description What it has to do with. */
            references?: components["schemas"]["InventoryMovementReferences"] | null;
            /** @description Why. */
            reason?: string | null;
            /** @description The caller when not given. */
            user_key?: string | null;
            /** @description Anything. */
            extra?: unknown;
        };
        /**
         * @description How far a movement or a list has come.
         * @enum {string}
         */
        MovementStatus: "planned" | "started" | "completed" | "canceled";
        /**
         * @description What a new list can be.
         * @enum {string}
         */
        NewMovementListStatus: "planned" | "completed";
        /**
         * NewWorkOrder
         * @description A new work order with its jobs.
         */
        NewWorkOrder: {
            work_order: components["schemas"]["WorkOrder"];
            /** @description In the order of the phases. */
            jobs: components["schemas"]["Job"][];
        };
        /**
         * Operation
         * @description A new operation.
         */
        Operation: {
            /** Format: name */
            name: string;
            /** Format: name */
            code?: string | null;
            /** Format: note */
            description?: string | null;
            default_phase_parameters?: components["schemas"]["PhaseParameters-Input"] | null;
            /** Format: note */
            default_phase_notes?: string | null;
            /** @default [] */
            default_phase_steps?: components["schemas"]["StepWithMediaInfo"][];
        };
        /**
         * OperationMedia
         * @description A file of a step.
         */
        OperationMedia: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name?: string | null;
            /** Format: int64 */
            size?: number | null;
            content_type?: string | null;
            created_at?: string | null;
            /** @description Its name. */
            filename?: string | null;
        };
        /**
         * OperationRow
         * @description An operation with what it is used for.
         */
        OperationRow: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name?: string | null;
            code?: string | null;
            description?: string | null;
            default_phase_parameters: components["schemas"]["PhaseParameters"];
            default_phase_notes?: string | null;
            default_phase_steps: components["schemas"]["OperationStep"][];
            /** @description Products with a phase of it. */
            used_for: components["schemas"]["ProductCode"][];
        };
        /**
         * OperationStep
         * @description A step of an operation, as it is shown.
         */
        OperationStep: {
            _key?: string | null;
            title?: string | null;
            description?: string | null;
            type: components["schemas"]["StepType"];
            form_fields: components["schemas"]["FormFieldDefinition"][];
            print_templates: components["schemas"]["PrintTemplateRecord-Output"][];
            media: components["schemas"]["OperationMedia"][];
        };
        /**
         * OperationUpdate
         * @description Changes of an operation: what is absent stays.
         */
        OperationUpdate: {
            /**
             * Format: name
             * @description Not null.
             */
            name?: string | null;
            /** Format: name */
            code?: string | null;
            /** Format: note */
            description?: string | null;
            /** @description Member by member. */
            default_phase_parameters?: components["schemas"]["PhaseParameters-Input"] | null;
            /** Format: note */
            default_phase_notes?: string | null;
            /** @description All of them. */
            default_phase_steps?: components["schemas"]["StepWithMediaInfo"][] | null;
        };
        /**
         * @description How criteria are joined.
         * @enum {string}
         */
        Operator: "AND" | "OR";
        /**
         * OperatorAssignment
         * @description What somebody is to do.
         */
        OperatorAssignment: {
            operator: components["schemas"]["JobOperator"];
            /** @description In the order of the queue. */
            assigned_jobs: components["schemas"]["AssignedJob"][];
            /** @description Whether the operator sorts the queue alone. */
            independent: boolean;
        };
        /**
         * OperatorQueueUpdateInput
         * @description What changes of an operator's queue.
         */
        OperatorQueueUpdateInput: {
            /** @description Keys of jobs, in order. */
            jobs?: string[] | null;
            /** @description Whether it does not follow the site queue. */
            independent?: boolean | null;
        };
        /**
         * @description In which order events are answered.
         * @enum {string}
         */
        Order: "asc" | "desc";
        /**
         * PhaseData-Input
         * @description A phase to be written.
         */
        "PhaseData-Input": {
            _id?: string | null;
            /** @description Of a phase of this process; a phase without one is new. */
            _key?: string | null;
            _rev?: string | null;
            /** Format: name */
            alias: string;
            /** @description Ignored: the path names the product. */
            product_key?: string | null;
            operation_key: string;
            params?: components["schemas"]["PhaseParameters"] | null;
            /** @description Ignored: `steps` tells it. */
            step_sequence?: string[] | null;
            /** Format: note */
            production_notes?: string | null;
            /** @default [] */
            steps?: components["schemas"]["Step-Input"][];
            /**
             * @description Keys or records; they count for a new phase only.
             * @default []
             */
            print_templates?: (string | components["schemas"]["Keyed"])[];
        };
        /**
         * PhaseData-Output
         * @description A phase with its steps.
         */
        "PhaseData-Output": {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            alias?: string | null;
            product_key?: string | null;
            operation_key?: string | null;
            params: components["schemas"]["PhaseParameters"];
            /** @description Keys of its steps, in order. */
            step_sequence: string[];
            production_notes?: string | null;
            steps: components["schemas"]["Step-Output"][];
            print_templates: components["schemas"]["PrintTemplateRecord-Output"][];
        };
        /**
         * PhaseParameters
         * @description How a phase is worked on.
         */
        PhaseParameters: {
            /** @default true */
            parallel_job_allowed?: boolean;
            /**
             * @description Whether every step has to be completed.
             * @default false
             */
            step_check?: boolean;
            /**
             * @description Whether steps are completed in their order.
             * @default false
             */
            step_check_force_order?: boolean;
            /**
             * Format: int64
             * @description Pieces of a batch; 0 for all that are left.
             * @default 1
             */
            production_batch_qt?: number;
            /**
             * Format: int64
             * @description Seconds that a station may be silent.
             * @default 60
             */
            max_offline?: number;
            /** @default true */
            auto_new_batch?: boolean;
            /**
             * Format: int64
             * @description Planned seconds for a piece.
             * @default 60
             */
            std_processing_time?: number;
            /** @default false */
            unsupervised_work_allowed?: boolean;
            /** @default false */
            display_job_timer?: boolean;
        };
        /**
         * PhaseParameters-Input
         * @description Parameters that were sent; the others come from the configuration.
         */
        "PhaseParameters-Input": {
            parallel_job_allowed?: boolean | null;
            step_check?: boolean | null;
            step_check_force_order?: boolean | null;
            /** Format: int64 */
            production_batch_qt?: number | null;
            /** Format: int64 */
            max_offline?: number | null;
            auto_new_batch?: boolean | null;
            /** Format: int64 */
            std_processing_time?: number | null;
            unsupervised_work_allowed?: boolean | null;
            display_job_timer?: boolean | null;
        };
        /**
         * PhaseProcessingTime
         * @description The time of a phase.
         */
        PhaseProcessingTime: {
            _key: string;
            alias?: string | null;
            processing_time: components["schemas"]["ProcessingTime"];
        };
        /**
         * PhaseRecord
         * @description A phase.
         */
        PhaseRecord: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            alias?: string | null;
            product_key?: string | null;
            operation_key?: string | null;
            params: components["schemas"]["PhaseParameters"];
            /** @description Keys of its steps, in order. */
            step_sequence: string[];
            production_notes?: string | null;
        };
        /**
         * PositionContent
         * @description One thing that lies in a position.
         */
        PositionContent: {
            /** @description Key of the link or stock record. */
            _key: string;
            type: components["schemas"]["ContentType"];
            /** @description Code of the position, the serial or the product. */
            code?: string | null;
            position_key?: string | null;
            position_fixed?: boolean | null;
            product_code?: string | null;
            product_description?: string | null;
            product_key?: string | null;
            /** Format: double */
            quantity?: number | null;
            serial_code?: string | null;
            serial_key?: string | null;
            /** @description Whether somebody counts it. */
            counting?: boolean | null;
            /** @description Key of the user who counts it. */
            count_by?: string | null;
            /** @description Name of the user who counts it. */
            count_user?: string | null;
        };
        /**
         * PositionDetails
         * @description A position with the way to it and what lies in it.
         */
        PositionDetails: {
            position: components["schemas"]["models__inventory__position__Position"];
            /** @description From below `IN` to the position. */
            path: components["schemas"]["InventoryPathItem"][];
            contents: components["schemas"]["PositionContent"][];
        };
        /**
         * PositionNew
         * @description A new position.
         */
        PositionNew: {
            /**
             * @description The position it is in; `IN` when not given.
             * @default IN
             */
            parent_position_key?: string;
            /** @description From a counter when not given. */
            code?: string | null;
            /** @default true */
            owned?: boolean;
            /** @default true */
            available?: boolean;
            /** @default true */
            fixed?: boolean;
            /** @default false */
            disposable?: boolean;
            allow_consumption?: boolean | null;
            /** @description Anything. */
            extra?: unknown;
        };
        /**
         * PositionTreeNode
         * @description A position with those in it.
         */
        PositionTreeNode: {
            position_id: string;
            position_key: string;
            code?: string | null;
            product_key?: string | null;
            /** @description Identifier of the position itself, when it is in another. */
            from?: string | null;
            /** @description Identifier of the position it is in. */
            to?: string | null;
            /** @description Codes from below the root to the position. */
            path: string[];
            /** @description Keys from below the root to the position. */
            path_keys: string[];
            /** @description Left out when there are none. */
            children?: components["schemas"]["PositionTreeNode"][] | null;
        };
        /**
         * @description An end of a movement.
         * @enum {string}
         */
        PositionType: "from" | "to";
        /**
         * @description What the data of a job are.
         * @enum {string}
         */
        PrintFormat: "zpl" | "pdf";
        /**
         * @description Why a job was not printed.
         * @enum {string}
         */
        PrintJobError: "no_service" | "connection_refused" | "timeout" | "send_error" | "internal";
        /**
         * PrintJobRequest
         * @description What is to be printed, and where.
         */
        PrintJobRequest: {
            /** @description Key of a configured printer. */
            printer_key: string;
            /** @description Its name in the network. */
            printer_host: string;
            /**
             * Format: uint16
             * @default 9100
             */
            printer_port?: number;
            format: components["schemas"]["PrintFormat"];
            /** @description At most 10 MB. */
            data: string;
            /**
             * Format: uint32
             * @description How often the data are sent.
             * @default 1
             */
            copies?: number;
            /**
             * Format: double
             * @description How long the printer may take to answer, and to take each copy.
             * @default 5
             */
            timeout_seconds?: number;
        };
        /**
         * PrintJobResult
         * @description How a job went.
         */
        PrintJobResult: {
            /** @description Whether the printer has taken all of it. */
            ok: boolean;
            printer_key?: string | null;
            /** Format: uint32 */
            copies?: number | null;
            error?: components["schemas"]["PrintJobError"] | null;
            /** @description What happened, for people. */
            detail?: string | null;
        };
        /**
         * PrintTemplate-Input
         * @description What is printed, in the form of pdfme.
         */
        "PrintTemplate-Input": {
            /** @description What is printed on: a PDF file as text, or a blank page. */
            basePdf?: (string | components["schemas"]["BlankPdf"]) | null;
            /** @default [] */
            sampledata?: {
                [key: string]: string;
            }[];
            /** @description The fields of each page. */
            schemas: (components["schemas"]["TextFieldSpec-Input"] | components["schemas"]["VisualFieldSpec-Input"])[][];
            pdfmeVersion?: string | null;
        };
        /**
         * PrintTemplate-Output
         * @description What is printed, in the form of pdfme.
         */
        "PrintTemplate-Output": {
            /** @description What is printed on: a PDF file as text, or a blank page. */
            basePdf?: (string | components["schemas"]["BlankPdf"]) | null;
            /** @default [] */
            sampledata?: {
                [key: string]: string;
            }[];
            /** @description The fields of each page. */
            schemas: (components["schemas"]["TextFieldSpec-Output"] | components["schemas"]["VisualFieldSpec-Output"])[][];
            pdfmeVersion?: string | null;
        };
        /**
         * PrintTemplateRecord-Input
         * @description A template for printing, as it is sent.
         */
        "PrintTemplateRecord-Input": {
            /** @description Told for the rest of the record's sake. */
            _id?: string | null;
            /** @description Which one is replaced. */
            _key?: string | null;
            /** @description Not compared; `If-Match` is. */
            _rev?: string | null;
            /** Format: name */
            name: string;
            /** Format: note */
            description?: string | null;
            template?: components["schemas"]["PrintTemplate-Input"] | null;
            /**
             * Format: int64
             * @description Counted by the service, whatever is sent.
             * @default 0
             */
            entities?: number;
        };
        /**
         * PrintTemplateRecord-Output
         * @description A template for printing.
         */
        "PrintTemplateRecord-Output": {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name: string;
            description?: string | null;
            template?: components["schemas"]["PrintTemplate-Output"] | null;
            /**
             * Format: int64
             * @description How many entities use it.
             * @default 0
             */
            entities?: number;
        };
        /**
         * ProcedureStep
         * @description A step with the names of its files.
         */
        ProcedureStep: {
            _key?: string | null;
            title?: string | null;
            description?: string | null;
            type: components["schemas"]["StepType"];
            form_fields: components["schemas"]["FormFieldDefinition"][];
            print_templates: components["schemas"]["PrintTemplateRecord-Output"][];
            /** @description Names of its files. */
            media: string[];
        };
        /**
         * ProcessTask
         * @description A task of a process. Further members are kept as they are sent.
         */
        ProcessTask: {
            task_type_key: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * ProcessingTime
         * @description Milliseconds a piece: what is planned, and how what was measured is distributed. Null where nothing was measured.
         */
        ProcessingTime: {
            /**
             * Format: double
             * @description What the process plans.
             */
            standard?: number | null;
            /** Format: double */
            median?: number | null;
            /** Format: double */
            min?: number | null;
            /** Format: double */
            p10?: number | null;
            /** Format: double */
            p20?: number | null;
            /** Format: double */
            p30?: number | null;
            /** Format: double */
            p40?: number | null;
            /** Format: double */
            p50?: number | null;
            /** Format: double */
            p60?: number | null;
            /** Format: double */
            p70?: number | null;
            /** Format: double */
            p80?: number | null;
            /** Format: double */
            p90?: number | null;
            /** Format: double */
            max?: number | null;
            /**
             * Format: double
             * @description Of the sample: null below two values.
             */
            std_dev?: number | null;
        };
        /**
         * ProductBaseData
         * @description A product in a list.
         */
        ProductBaseData: {
            _key?: string | null;
            /**
             * Format: name
             * @description Unique among products that are not in the trash.
             */
            code: string;
            /** Format: note */
            description?: string | null;
            /** @default true */
            active?: boolean;
            /**
             * @description Whether it has a picture.
             * @default false
             */
            image?: boolean;
            /** @default [] */
            tags?: components["schemas"]["Tag"][];
            /**
             * Format: name
             * @description The counter that gives its serials their codes.
             */
            counter_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            /** @default false */
            manage_inventory?: boolean;
            /** @default false */
            allow_negative_inventory?: boolean;
            /**
             * @description Whether a serial has its code from the beginning, not only when it is released.
             * @default false
             */
            serial_code_on_creation?: boolean;
        };
        /**
         * ProductCode
         * @description A product by its code.
         */
        ProductCode: {
            _key: string;
            code?: string | null;
        };
        /**
         * ProductDetails
         * @description A product with all its members.
         */
        ProductDetails: {
            _key?: string | null;
            /**
             * Format: name
             * @description Unique among products that are not in the trash.
             */
            code: string;
            /** Format: note */
            description?: string | null;
            /** @default true */
            active?: boolean;
            /**
             * @description Whether it has a picture.
             * @default false
             */
            image?: boolean;
            /** @default [] */
            tags?: components["schemas"]["Tag"][];
            /**
             * Format: name
             * @description The counter that gives its serials their codes.
             */
            counter_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            /** @default false */
            manage_inventory?: boolean;
            /** @default false */
            allow_negative_inventory?: boolean;
            /**
             * @description Whether a serial has its code from the beginning, not only when it is released.
             * @default false
             */
            serial_code_on_creation?: boolean;
            /** @default false */
            trash?: boolean;
            created?: string | null;
            updated?: string | null;
            cost?: components["schemas"]["TargetAverageCost"] | null;
            /**
             * Format: int64
             * @default 0
             */
            technical_batch_qt?: number;
            /**
             * Format: int64
             * @default 0
             */
            minimum_order_qt?: number;
            /**
             * @description Keys of the phases of its process, in order.
             * @default []
             */
            process_phases?: string[];
            /** Format: note */
            production_notes?: string | null;
            /** Format: double */
            throughput_time_target?: number | null;
            /** Format: double */
            processing_time_target?: number | null;
            /** Format: int64 */
            kpi_window_size?: number | null;
            /** @default count */
            kpi_window_type?: components["schemas"]["KPIWindowType"];
            metadata?: components["schemas"]["ProductMetadataField"][] | null;
            /** Format: name */
            default_production_position_key?: string | null;
            /** Format: name */
            default_consumption_position_key?: string | null;
        };
        /**
         * ProductDoc
         * @description A document of a product.
         */
        ProductDoc: {
            name: string;
            /** Format: uint64 */
            size: number;
        };
        /**
         * @description What kind of file is wanted.
         * @enum {string}
         */
        ProductExportFormat: "xlsx" | "csv" | "template";
        /**
         * ProductFull
         * @description A product with everything that belongs to it.
         */
        ProductFull: {
            _key?: string | null;
            /**
             * Format: name
             * @description Unique among products that are not in the trash.
             */
            code: string;
            /** Format: note */
            description?: string | null;
            /** @default true */
            active?: boolean;
            /**
             * @description Whether it has a picture.
             * @default false
             */
            image?: boolean;
            /** @default [] */
            tags?: components["schemas"]["Tag"][];
            /**
             * Format: name
             * @description The counter that gives its serials their codes.
             */
            counter_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            /** @default false */
            manage_inventory?: boolean;
            /** @default false */
            allow_negative_inventory?: boolean;
            /**
             * @description Whether a serial has its code from the beginning, not only when it is released.
             * @default false
             */
            serial_code_on_creation?: boolean;
            /** @default false */
            trash?: boolean;
            created?: string | null;
            updated?: string | null;
            cost?: components["schemas"]["TargetAverageCost"] | null;
            /**
             * Format: int64
             * @default 0
             */
            technical_batch_qt?: number;
            /**
             * Format: int64
             * @default 0
             */
            minimum_order_qt?: number;
            /**
             * @description Keys of the phases of its process, in order.
             * @default []
             */
            process_phases?: string[];
            /** Format: note */
            production_notes?: string | null;
            /** Format: double */
            throughput_time_target?: number | null;
            /** Format: double */
            processing_time_target?: number | null;
            /** Format: int64 */
            kpi_window_size?: number | null;
            /** @default count */
            kpi_window_type?: components["schemas"]["KPIWindowType"];
            metadata?: components["schemas"]["ProductMetadataField"][] | null;
            /** Format: name */
            default_production_position_key?: string | null;
            /** Format: name */
            default_consumption_position_key?: string | null;
            /**
             * @description Its documents, by name.
             * @default []
             */
            docs?: components["schemas"]["ProductDoc"][];
            /** @description The file of its picture. */
            img_name?: string | null;
            counter?: components["schemas"]["Counter"] | null;
            print_templates: components["schemas"]["ProductPrintTemplate"][];
            /** @description Tasks that belong to its process: a `task_type_key` and what else was sent. */
            process_tasks: unknown[];
        };
        /**
         * @description What a row does.
         * @enum {string}
         */
        ProductImportAction: "create" | "update" | "skip";
        /**
         * ProductImportRow
         * @description What a row of the file will do.
         */
        ProductImportRow: {
            /**
             * Format: uint64
             * @description Where it stands, counted from 2: the first line names the columns.
             */
            row: number;
            code: string;
            action: components["schemas"]["ProductImportAction"];
            /** @description Empty. */
            errors: string[];
        };
        /**
         * ProductImportValidation
         * @description A file without errors and what its execution will do.
         */
        ProductImportValidation: {
            /** @description `valid`. */
            status: string;
            /** @description Names the file at the execution. */
            file_key: string;
            filename: string;
            /** Format: uint64 */
            rows_total: number;
            /** Format: uint64 */
            created_count: number;
            /** Format: uint64 */
            updated_count: number;
            /**
             * Format: uint64
             * @description 0.
             */
            error_count: number;
            /** Format: uint64 */
            skipped_count: number;
            /** @description Columns that mean nothing to an import. */
            ignored_columns: string[];
            rows: components["schemas"]["ProductImportRow"][];
        };
        /**
         * ProductMetadataField
         * @description A custom field of a product with its value.
         */
        ProductMetadataField: {
            custom_field_key: string;
            value?: unknown;
            label?: string | null;
            hint?: string | null;
        };
        /**
         * ProductPrintTemplate
         * @description A print template by its name.
         */
        ProductPrintTemplate: {
            _key: string;
            name?: string | null;
            description?: string | null;
        };
        /**
         * ProductStats
         * @description Indicators of a product.
         */
        ProductStats: {
            product_processing_time: components["schemas"]["ProcessingTime"];
            /** @description In the order of the process. */
            phase_processing_times: components["schemas"]["PhaseProcessingTime"][];
            /** @description Issues linked to the product and to a phase, with `phase_key`: a row for each such pair, newest first. */
            issues: unknown[];
        };
        /**
         * ProductUpdate
         * @description Changes of a product: what is absent stays.
         */
        ProductUpdate: {
            /**
             * Format: name
             * @description Not null.
             */
            code?: string | null;
            /** Format: note */
            description?: string | null;
            active?: boolean | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            /** Format: name */
            counter_key?: string | null;
            manage_inventory?: boolean | null;
            allow_negative_inventory?: boolean | null;
            serial_code_on_creation?: boolean | null;
            /** @description True moves it to the trash, false brings it back. */
            trash?: boolean | null;
            cost?: components["schemas"]["TargetAverageCost"] | null;
            /** Format: int64 */
            technical_batch_qt?: number | null;
            /** Format: int64 */
            minimum_order_qt?: number | null;
            /** Format: note */
            production_notes?: string | null;
            /** Format: double */
            throughput_time_target?: number | null;
            /** Format: double */
            processing_time_target?: number | null;
            /** Format: int64 */
            kpi_window_size?: number | null;
            kpi_window_type?: components["schemas"]["KPIWindowType"] | null;
            metadata?: components["schemas"]["ProductMetadataField"][] | null;
            /** Format: name */
            default_production_position_key?: string | null;
            /** Format: name */
            default_consumption_position_key?: string | null;
        };
        /**
         * Queue
         * @description A queue. What is not sent stays.
         */
        Queue: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            type: components["schemas"]["QueueType"];
            /** @default 0 */
            site_key?: string;
            /** @description The operator or equipment. */
            subqueue_target_key?: string | null;
            /** @description Keys of work orders, in order. */
            work_orders?: string[] | null;
            /** @description Keys of jobs, in order. */
            jobs?: string[] | null;
            /** @description Whether it does not follow the site queue. */
            independent?: boolean | null;
        };
        /**
         * @description Whose queue it is.
         * @enum {string}
         */
        QueueType: "o" | "e" | "s";
        /**
         * QueuedWorkOrder
         * @description A work order in the site queue.
         */
        QueuedWorkOrder: {
            _id: string;
            _key: string;
            _rev: string;
            /** @description Unique. */
            wo_code?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            /** @description Keys of its phases, in order; `default` for a product without a process. */
            phase_sequence?: string[] | null;
            /** Format: double */
            qt_planned?: number | null;
            /** @description A mark for the pages. */
            priority?: boolean | null;
            project_code?: string | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            wo_bom?: components["schemas"]["WOBomLine"][] | null;
            output_position_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            notes?: string | null;
            extra?: unknown;
            status?: components["schemas"]["WorkOrderStatus"] | null;
            /** Format: double */
            qt_completed?: number | null;
            /** @description Whether somebody is at work on it. */
            active?: boolean | null;
            on_time?: boolean | null;
            critical?: boolean | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            serial_fields?: components["schemas"]["WorkOrderSerialField"][] | null;
            created?: string | null;
            start?: string | null;
            end?: string | null;
            /** Format: double */
            material_cost?: number | null;
            wo_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processing_time?: number | null;
            /** Format: double */
            processing_cost?: number | null;
            /**
             * Format: double
             * @description Pieces that are not completed.
             */
            qt_remaining: number;
            /**
             * Format: int64
             * @description Issues that are linked to it.
             */
            issue_count: number;
        };
        /**
         * RecallAnswer
         * @description Which finished units are affected, and where they are.
         */
        RecallAnswer: {
            /** @description The serials where it starts, 200 at most. */
            origins: components["schemas"]["RecallOrigin"][];
            /** Format: uint64 */
            origins_total: number;
            /** @description A page of the affected units, by the code of their product, then by their own. */
            units: components["schemas"]["RecallUnit"][];
            /**
             * Format: uint64
             * @description All affected units.
             */
            total: number;
            /** @description All affected units, by product and state. */
            counts: components["schemas"]["RecallCount"][];
            /** @description Batches of work orders without serials that were made of it, the latest first. */
            batches: components["schemas"]["RecallBatch"][];
            /** @description The lots that the given serial is made of, when it is one and no lot itself. */
            lots: components["schemas"]["RecallOrigin"][];
            /** @description Other finished units that hold a part of these lots. */
            siblings: components["schemas"]["RecallUnit"][];
            /** @description Whether something was left out: what is counted is what was looked at. */
            truncated: boolean;
        };
        /**
         * RecallBatch
         * @description A batch of a work order without serials.
         */
        RecallBatch: {
            batch_key: string;
            wo_key: string | null;
            wo_code: string | null;
            product_key: string | null;
            product_code: string | null;
            /**
             * Format: double
             * @description Pieces that were good.
             */
            qt_pass: number | null;
            start: string | null;
            end: string | null;
        };
        /**
         * RecallCount
         * @description How many units of a product are in a state.
         */
        RecallCount: {
            product_key: string | null;
            product_code: string | null;
            product_description: string | null;
            state: components["schemas"]["RecallState"];
            /** Format: uint64 */
            count: number;
        };
        /**
         * RecallOrigin
         * @description A serial where a recall starts, or a lot.
         */
        RecallOrigin: {
            serial_key: string;
            serial_code: string | null;
            product_key: string | null;
            product_code: string | null;
            product_description: string | null;
            /**
             * Format: double
             * @description Pieces that it stands for.
             */
            quantity: number | null;
            created: string | null;
            wo_key: string | null;
        };
        /**
         * RecallShipment
         * @description How a unit left the site.
         */
        RecallShipment: {
            /** @description When. */
            end: string | null;
            partner_name: string | null;
            partner_code: string | null;
            transfer_doc: string | null;
            sales_doc: string | null;
            movement_list_key: string | null;
        };
        /**
         * @description Where a unit is by now.
         * @enum {string}
         */
        RecallState: "in_production" | "in_stock" | "shipped" | "released" | "installed" | "deleted";
        /**
         * RecallUnit
         * @description A finished unit.
         */
        RecallUnit: {
            serial_key: string;
            serial_code: string | null;
            product_key: string | null;
            product_code: string | null;
            product_description: string | null;
            wo_key: string | null;
            wo_code: string | null;
            project_code: string | null;
            state: components["schemas"]["RecallState"];
            /** @description Whether it still contains what the recall starts from. */
            current: boolean;
            /** @description When it was released; null while it is in production. */
            released: string | null;
            /** @description Where it lies, from the root position down; empty when it lies nowhere. */
            positions: components["schemas"]["StockPosition"][];
            /** @description Its last shipment that was not taken back; null when it is in stock. */
            shipment: components["schemas"]["RecallShipment"] | null;
        };
        /**
         * SearchOption
         * @description Something to choose from.
         */
        SearchOption: {
            _key?: string | null;
            name?: string | null;
        };
        /**
         * SelectableSerial
         * @description A serial that can be chosen.
         */
        SelectableSerial: {
            _id: string;
            _key: string;
            _rev: string;
            code?: string | null;
            /** @description `User/<key>`. */
            created_by?: string | null;
            product_key?: string | null;
            wo_key?: string | null;
            counter_key?: string | null;
            user_key?: string | null;
            /** Format: double */
            quantity?: number | null;
            /** Format: date-time */
            created?: string | null;
            /**
             * Format: date-time
             * @description Null while it is in production.
             */
            released?: string | null;
            data?: components["schemas"]["SerialFormFieldValue"][] | null;
            /** @description False, true, or the key of the event that deleted it. */
            deleted?: unknown;
            /** @description Whether another serial or a batch contains it now. */
            used: boolean;
            /** @description Whether it lies in stock (at the given position) and is not in use. */
            available: boolean;
            product_code?: string | null;
            product_description?: string | null;
        };
        /**
         * SerialChild
         * @description A direct child of a serial.
         */
        SerialChild: {
            parent_key: string;
            serial_key: string;
            replaced: boolean | null;
            serial_code: string | null;
            product_key: string | null;
            product_code: string | null;
            product_description: string | null;
            confirmed: boolean | null;
        };
        /**
         * SerialField
         * @description A field that is recorded for serials. It may have more members than these.
         */
        SerialField: {
            _key?: string | null;
            name?: string | null;
            /** @description Type of the field. */
            type?: string | null;
        };
        /**
         * SerialFormFieldValue
         * @description A recorded field of a serial.
         */
        SerialFormFieldValue: {
            /** @description The field of the form that it was recorded with. */
            form_field_key?: string | null;
            /** @description The kind of field. */
            custom_field_key?: string | null;
            /** @description What it is called. */
            label?: string | null;
            /** @description What it asks for. */
            hint?: string | null;
            /** @description Whether it has to be filled. */
            mandatory?: boolean | null;
            /** @description What was recorded. */
            value?: unknown;
            /** @description The batch in which it was recorded. */
            batch_key?: string | null;
            /** @description The step in which it was recorded. */
            step_key?: string | null;
            /** @description The phase in which it was recorded. */
            phase_key?: string | null;
            /** @description Key of the event that recorded it. */
            last_updated?: string | null;
        };
        /**
         * SerialLink
         * @description A component and what it is built into. Serials are named by key or identifier.
         */
        SerialLink: {
            _key?: string | null;
            /** @description The unit; `components` or null for the batch itself. */
            _from?: string | null;
            /** @description Another name of `_from`. */
            parent_serial_key?: string | null;
            /** @description The component. */
            _to?: string | null;
            /** @description Another name of `_to`. */
            child_serial_key?: string | null;
            wo_key?: string | null;
            phase_key?: string | null;
            component_key?: string | null;
            job_key?: string | null;
            batch_key?: string | null;
            /** @default null */
            confirmed?: boolean | null;
            /** @default null */
            replaced?: boolean | null;
            reason?: string | null;
        };
        /**
         * SerialParent
         * @description A serial or one of its ancestors.
         */
        SerialParent: {
            serial_key: string;
            /** @description Whether the link downwards from it was replaced; null for the serial itself. */
            replaced: boolean | null;
            serial_code: string | null;
            product_key: string | null;
            product_code: string | null;
            product_description: string | null;
        };
        /**
         * SerialRecord
         * @description A serial as it is stored.
         */
        SerialRecord: {
            _id: string;
            _key: string;
            _rev: string;
            code?: string | null;
            /** @description `User/<key>`. */
            created_by?: string | null;
            product_key?: string | null;
            wo_key?: string | null;
            counter_key?: string | null;
            user_key?: string | null;
            /** Format: double */
            quantity?: number | null;
            /** Format: date-time */
            created?: string | null;
            /**
             * Format: date-time
             * @description Null while it is in production.
             */
            released?: string | null;
            data?: components["schemas"]["SerialFormFieldValue"][] | null;
            /** @description False, true, or the key of the event that deleted it. */
            deleted?: unknown;
        };
        /**
         * SerialSearchResult
         * @description A serial found by a search.
         */
        SerialSearchResult: {
            _id: string;
            _key: string;
            _rev: string;
            code?: string | null;
            /** @description `User/<key>`. */
            created_by?: string | null;
            product_key?: string | null;
            wo_key?: string | null;
            counter_key?: string | null;
            user_key?: string | null;
            /** Format: double */
            quantity?: number | null;
            /** Format: date-time */
            created?: string | null;
            /**
             * Format: date-time
             * @description Null while it is in production.
             */
            released?: string | null;
            data?: components["schemas"]["SerialFormFieldValue"][] | null;
            /** @description False, true, or the key of the event that deleted it. */
            deleted?: unknown;
            /** @description The whole product. */
            product?: unknown;
            /** @description The configured fields that have a value. */
            grid_data: components["schemas"]["GridValue"][];
            wo_code?: string | null;
            project_code?: string | null;
        };
        /**
         * SerialSelection
         * @description A serial that waits for a phase or is booked for a job.
         */
        SerialSelection: {
            /** @description Null where the work in progress has no serials. */
            serial_key?: string | null;
            serial_code?: string | null;
            counter_key?: string | null;
            /**
             * @description Whether it is booked for a job.
             * @default false
             */
            active?: boolean;
        };
        /**
         * @description What became of a serial.
         * @enum {string}
         */
        SerialState: "deleted" | "installed" | "in_stock" | "in_production" | "gone";
        /**
         * SerialTreeNode
         * @description A serial, or a component the bill of materials expects, with everything below it.
         */
        SerialTreeNode: {
            /** @description Null where a component is expected but not installed. */
            serial_key: string | null;
            product_key: string | null;
            serial_code: string | null;
            product_code: string | null;
            /** @default false */
            replaced: boolean;
            /** @default true */
            confirmed: boolean;
            /**
             * @description Whether the bill of materials does not expect it.
             * @default false
             */
            extra_bom: boolean;
            product_description: string | null;
            /** @default [] */
            children: components["schemas"]["SerialTreeNode"][];
        };
        /**
         * SerialUse
         * @description A serial that contains the given one.
         */
        SerialUse: {
            serial_key: string;
            serial_code?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            wo_key?: string | null;
            wo_code?: string | null;
            project_code?: string | null;
            /**
             * Format: uint64
             * @description Links between it and the given serial: 1 for a direct parent.
             */
            depth: number;
            /** @description Whether no other serial contains it now. */
            top_level: boolean;
            /** @description Whether it still contains the given serial: no link on the way was replaced. */
            current: boolean;
            /** @description Whether every link on the way is confirmed. */
            confirmed: boolean;
            /** @description From it down to the given serial. */
            path: components["schemas"]["SerialUseStep"][];
            state: components["schemas"]["SerialState"];
            /** @description When it was released; null while it is in production. */
            released?: string | null;
            /** @description Where it lies, from the root position down; empty when it lies nowhere. */
            positions: components["schemas"]["StockPosition"][];
        };
        /**
         * SerialUseStep
         * @description A serial on the way down to the given one.
         */
        SerialUseStep: {
            serial_key: string;
            serial_code?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            /** @description Whether the link downwards from it was replaced; null at the end of the way. */
            replaced?: boolean | null;
            /** @description Whether the link downwards from it is confirmed; null at the end of the way. */
            confirmed?: boolean | null;
        };
        /**
         * ServerSentEvent
         * @description One message of a stream.
         */
        ServerSentEvent: {
            /** @description One line of JSON. */
            data: string;
            /** @description The topic as the address has it. */
            event: string;
            /** @description What `Last-Event-ID` names when the client comes back. */
            id: string;
            /**
             * Format: int64
             * @description After how many milliseconds a client comes back; told once, at the beginning.
             */
            retry?: number | null;
        };
        /**
         * SseTicketRequest
         * @description What a ticket is asked for.
         */
        SseTicketRequest: {
            /** @description The topic, as the address of the stream will have it. */
            topic: string;
        };
        /**
         * SseTicketResponse
         * @description A ticket.
         */
        SseTicketResponse: {
            /** @description Shown as `ticket` in the address of the stream. */
            ticket: string;
            /**
             * Format: int64
             * @description For how many seconds it opens the stream, any number of times.
             */
            expires_in: number;
        };
        /**
         * Step-Input
         * @description A step to be written.
         */
        "Step-Input": {
            /** @description Of a step of this process; any other step is new. */
            _key?: string | null;
            /** Format: name */
            title?: string | null;
            /** Format: note */
            description?: string | null;
            /** @default instruction */
            type?: components["schemas"]["StepType"];
            /** @default [] */
            form_fields?: components["schemas"]["FormFieldDefinition"][];
            /**
             * @description Keys or records; they count for a new step only.
             * @default []
             */
            print_templates?: (string | components["schemas"]["Keyed"])[];
        };
        /**
         * Step-Output
         * @description A step.
         */
        "Step-Output": {
            _key?: string | null;
            title?: string | null;
            description?: string | null;
            type: components["schemas"]["StepType"];
            form_fields: components["schemas"]["FormFieldDefinition"][];
            print_templates: components["schemas"]["PrintTemplateRecord-Output"][];
        };
        /**
         * @description What a step is.
         * @enum {string}
         */
        StepType: "instruction" | "form";
        /**
         * StepWithMediaInfo
         * @description A step that phases of the operation begin with.
         */
        StepWithMediaInfo: {
            _key?: string | null;
            /** Format: name */
            title?: string | null;
            /** Format: note */
            description?: string | null;
            /** @default instruction */
            type?: components["schemas"]["StepType"];
            /** @default [] */
            form_fields?: components["schemas"]["FormFieldDefinition"][];
            /**
             * @description Keys or records.
             * @default []
             */
            print_templates?: (string | components["schemas"]["Keyed"])[];
            /**
             * @description Keys or records.
             * @default []
             */
            media?: (string | components["schemas"]["Keyed"])[];
        };
        /**
         * StockPosition
         * @description A position on the way from the root to where a serial lies.
         */
        StockPosition: {
            position_key: string;
            position_code?: string | null;
        };
        /**
         * StoredStepData
         * @description The record of the step.
         */
        StoredStepData: {
            execution_record_key: string;
        };
        /**
         * Tag
         * @description A tag.
         */
        Tag: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name: string;
            description?: string | null;
            /** @description `#RRGGBB` for a new tag; existing tags may have another form. */
            color?: string | null;
        };
        /**
         * @description What a tag can be connected to.
         * @enum {string}
         */
        TagAssignmentContext: "product";
        /**
         * @description What happens to a connection.
         * @enum {string}
         */
        TagAssignmentUpdateType: "add" | "remove";
        /**
         * TagConnectionUpdate
         * @description One change of a connection.
         */
        TagConnectionUpdate: {
            type: components["schemas"]["TagAssignmentUpdateType"];
            tag_key: string;
            context: components["schemas"]["TagAssignmentContext"];
            context_key: string;
        };
        /**
         * @description How many of several tags count.
         * @enum {string}
         */
        TagOperator: "ALL" | "ANY";
        /**
         * TargetAverageCost
         * @description What a piece should cost, and does.
         */
        TargetAverageCost: {
            /**
             * Format: double
             * @default null
             */
            target?: number | null;
            /**
             * Format: double
             * @default null
             */
            average?: number | null;
        };
        /**
         * Targets
         * @description The products that something is copied to.
         */
        Targets: {
            target_product_keys: string[];
        };
        /**
         * TaskAssignment
         * @description A user a task is assigned to.
         */
        TaskAssignment: {
            /** @description Key of the user. */
            user_key: string;
            /**
             * @description What the user is to the task.
             * @default participant
             */
            role?: components["schemas"]["TaskAssignmentRole"];
        };
        /**
         * @description What an assignee is to a task.
         * @enum {string}
         */
        TaskAssignmentRole: "owner" | "participant";
        /**
         * TaskDetails
         * @description A task with what belongs to it.
         */
        TaskDetails: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            task_type_key: string;
            code?: string | null;
            /** @default open */
            status?: components["schemas"]["TaskStatus"];
            owner_key?: string | null;
            assigned_to?: components["schemas"]["TaskAssignment"][] | null;
            /** Format: date-time */
            start_from?: string | null;
            /** Format: date-time */
            due_by?: string | null;
            /** Format: date-time */
            created?: string | null;
            created_by?: string | null;
            /** Format: date-time */
            closed?: string | null;
            closed_by?: string | null;
            /** @description When it was deleted. */
            deleted?: string | null;
            /** @description What the database holds: in existing data the key of an event. */
            deleted_by?: string | null;
            title?: string | null;
            description?: string | null;
            form_fields?: components["schemas"]["TaskFormFieldValue"][] | null;
            icon?: string | null;
            task_type_name?: string | null;
            time_spent: components["schemas"]["TimeSpent"][];
            links: components["schemas"]["TaskLink"][];
            /** @description The settings of the task's type. */
            link_settings: components["schemas"]["TaskLinkedEntitySettings"][];
        };
        /**
         * TaskFormFieldValue
         * @description A recorded field of a task's form.
         */
        TaskFormFieldValue: {
            form_field_key: string;
            custom_field_key: string;
            label: string;
            hint?: string | null;
            /** @default false */
            mandatory?: boolean;
            value?: unknown;
            last_updated?: string | null;
        };
        /**
         * TaskLink
         * @description An entity a task is linked to.
         */
        TaskLink: {
            /** @description `issue`, `work_order`, `product`, `equipment`, `serial` or `task`. */
            type: string;
            key: string;
            code?: string | null;
            /** @description The linked document. */
            l: unknown;
        };
        /**
         * @description What a task can be linked to.
         * @enum {string}
         */
        TaskLinkType: "issue" | "work_order" | "product" | "serial" | "task";
        /**
         * TaskLinkedEntitySettings
         * @description How tasks of a type are linked to entities of one kind.
         */
        TaskLinkedEntitySettings: {
            type: components["schemas"]["TaskLinkType"];
            /** @default false */
            enabled?: boolean;
            /** @default false */
            allow_multiple?: boolean;
            /** @default false */
            required?: boolean;
        };
        /**
         * TaskSearchResult
         * @description A task found by a search.
         */
        TaskSearchResult: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            task_type_key: string;
            code?: string | null;
            /** @default open */
            status?: components["schemas"]["TaskStatus"];
            owner_key?: string | null;
            assigned_to?: components["schemas"]["TaskAssignment"][] | null;
            /** Format: date-time */
            start_from?: string | null;
            /** Format: date-time */
            due_by?: string | null;
            /** Format: date-time */
            created?: string | null;
            created_by?: string | null;
            /** Format: date-time */
            closed?: string | null;
            closed_by?: string | null;
            /** @description When it was deleted. */
            deleted?: string | null;
            /** @description What the database holds: in existing data the key of an event. */
            deleted_by?: string | null;
            title?: string | null;
            description?: string | null;
            form_fields?: components["schemas"]["TaskFormFieldValue"][] | null;
            icon?: string | null;
            task_type_name?: string | null;
        };
        /**
         * @description Where a task stands.
         * @enum {string}
         */
        TaskStatus: "pending" | "open" | "completed" | "canceled";
        /**
         * TaskType
         * @description A type of task.
         */
        TaskType: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name: string;
            description?: string | null;
            /** @default true */
            active?: boolean;
            icon?: string | null;
            /**
             * Format: date-time
             * @description The present when absent.
             */
            created?: string | null;
            /** @default [] */
            form_fields?: components["schemas"]["FormFieldDefinition"][];
            /**
             * @description One disabled entry a kind when absent.
             * @default [
             *       {
             *         "allow_multiple": false,
             *         "enabled": false,
             *         "required": false,
             *         "type": "issue"
             *       },
             *       {
             *         "allow_multiple": false,
             *         "enabled": false,
             *         "required": false,
             *         "type": "work_order"
             *       },
             *       {
             *         "allow_multiple": false,
             *         "enabled": false,
             *         "required": false,
             *         "type": "product"
             *       },
             *       {
             *         "allow_multiple": false,
             *         "enabled": false,
             *         "required": false,
             *         "type": "serial"
             *       },
             *       {
             *         "allow_multiple": false,
             *         "enabled": false,
             *         "required": false,
             *         "type": "task"
             *       }
             *     ]
             */
            link_settings?: components["schemas"]["TaskLinkedEntitySettings"][];
            /** @default false */
            require_time_entry?: boolean;
        };
        /**
         * TaskTypeFull
         * @description A type of task with its print templates.
         */
        TaskTypeFull: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            name: string;
            description?: string | null;
            /** @default true */
            active?: boolean;
            icon?: string | null;
            /** Format: date-time */
            created?: string | null;
            form_fields?: components["schemas"]["FormFieldDefinition"][] | null;
            link_settings?: components["schemas"]["TaskLinkedEntitySettings"][] | null;
            /** @default false */
            require_time_entry?: boolean;
            print_templates?: components["schemas"]["PrintTemplateRecord-Output"][] | null;
        };
        /**
         * TaskTypeUpdate
         * @description Changes of a type of task: what is absent stays.
         */
        TaskTypeUpdate: {
            /** @description Not null. */
            name?: string | null;
            description?: string | null;
            /** @description Null means true. */
            active?: boolean | null;
            icon?: string | null;
            /**
             * Format: date-time
             * @description Null changes nothing.
             */
            created?: string | null;
            /** @description Null means none. */
            form_fields?: components["schemas"]["FormFieldDefinition"][] | null;
            /** @description Null means one disabled entry a kind. */
            link_settings?: components["schemas"]["TaskLinkedEntitySettings"][] | null;
            /** @description Null means false. */
            require_time_entry?: boolean | null;
        };
        /**
         * @description What a print template belongs to.
         * @enum {string}
         */
        TemplateAssignmentContext: "product" | "phase" | "step" | "issue_type" | "task_type" | "template" | "position";
        /**
         * TemplateAssignmentUpdate
         * @description One change of an assignment.
         */
        TemplateAssignmentUpdate: {
            type: components["schemas"]["TemplateAssignmentUpdateType"];
            template_key: string;
            context: components["schemas"]["TemplateAssignmentContext"];
            context_key: string;
        };
        /**
         * @description What happens to an assignment.
         * @enum {string}
         */
        TemplateAssignmentUpdateType: "add" | "remove";
        /**
         * TextFieldSpec-Input
         * @description A field that shows a text.
         */
        "TextFieldSpec-Input": {
            name: string;
            /** @default text */
            type?: string;
            position: components["schemas"]["models__print__Position"];
            /** Format: double */
            height: number;
            /** Format: double */
            width: number;
            alignment?: components["schemas"]["Alignment"] | null;
            backgroundColor?: string | null;
            /** Format: double */
            characterSpacing?: number | null;
            dynamicFontSize?: components["schemas"]["DynamicFontSize"] | null;
            fontColor?: string | null;
            fontName?: string | null;
            /** Format: double */
            fontSize?: number | null;
            /** Format: double */
            lineHeight?: number | null;
            /** Format: double */
            rotate?: number | null;
            verticalAlignment?: components["schemas"]["VerticalAlignment"] | null;
            linkType?: components["schemas"]["LinkType"] | null;
            linkValue?: string | null;
            customFieldKey?: string | null;
            extraPath?: string | null;
            templateExpression?: string | null;
            readOnly?: boolean | null;
            required?: boolean | null;
        };
        /**
         * TextFieldSpec-Output
         * @description A field that shows a text.
         */
        "TextFieldSpec-Output": {
            name: string;
            /** @default text */
            type?: string;
            position: components["schemas"]["models__print__Position"];
            /** Format: double */
            height: number;
            /** Format: double */
            width: number;
            alignment?: components["schemas"]["Alignment"] | null;
            backgroundColor?: string | null;
            /** Format: double */
            characterSpacing?: number | null;
            dynamicFontSize?: components["schemas"]["DynamicFontSize"] | null;
            fontColor?: string | null;
            fontName?: string | null;
            /** Format: double */
            fontSize?: number | null;
            /** Format: double */
            lineHeight?: number | null;
            /** Format: double */
            rotate?: number | null;
            verticalAlignment?: components["schemas"]["VerticalAlignment"] | null;
            linkType?: components["schemas"]["LinkType"] | null;
            linkValue?: string | null;
            customFieldKey?: string | null;
            extraPath?: string | null;
            templateExpression?: string | null;
            readOnly?: boolean | null;
            required?: boolean | null;
        };
        /**
         * @description Colours of the web application.
         * @enum {string}
         */
        Theme: "dark" | "light";
        /**
         * TimeSpent
         * @description How long an assignee has worked on a task.
         */
        TimeSpent: {
            user_key?: string | null;
            /**
             * Format: double
             * @description Milliseconds.
             */
            duration: number;
            /** @description Whether the user is at it now. */
            active: boolean;
        };
        /**
         * TokenRecord
         * @description What the database knows of a token.
         */
        TokenRecord: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            /** @description Always empty: with it the token could be rebuilt. */
            signature: string;
            /** @default false */
            revoked?: boolean;
            issued_to: string;
            /** Format: date-time */
            issued_at?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
            context?: string | null;
            description?: string | null;
        };
        /**
         * TraceabilityField
         * @description A recorded value with what is known of its field.
         */
        TraceabilityField: {
            form_field_key?: string | null;
            custom_field_key?: string | null;
            value?: unknown;
            field_type?: string | null;
            /** @description As the step called it when the order was planned. */
            field_label?: string | null;
            /** @description What the serial says for this step and field. */
            serial_field_value?: unknown;
        };
        /**
         * @description Which units of a product have a serial.
         * @enum {string}
         */
        TraceabilityLevel: "form_only" | "complete";
        /**
         * TraceabilityRow
         * @description What was recorded of a step, for a serial of its batch.
         */
        TraceabilityRow: {
            step_key?: string | null;
            step_title?: string | null;
            serial_code?: string | null;
            serial_key?: string | null;
            batch_key?: string | null;
            /**
             * Format: double
             * @description Pieces that passed.
             */
            batch_qt?: number | null;
            job_key?: string | null;
            operator_key?: string | null;
            operator_username?: string | null;
            /** @description When the step was completed; null while it is open. */
            timestamp?: string | null;
            phase_key?: string | null;
            phase_alias?: string | null;
            form_fields: components["schemas"]["TraceabilityField"][];
        };
        /**
         * UserNew
         * @description A user to be created.
         */
        UserNew: {
            /**
             * Format: name
             * @description Unique, whatever its case.
             */
            username: string;
            /** @description Scopes, separated by blanks; may be empty. */
            scope: string;
            /** Format: name */
            name?: string | null;
            /** Format: name */
            surname?: string | null;
            /** Format: name */
            email?: string | null;
            /** Format: name */
            department_key?: string | null;
            /**
             * Format: name
             * @default 0
             */
            site_key?: string;
            /** Format: double */
            hourly_cost?: number | null;
            preferences?: components["schemas"]["UserPreferences"] | null;
        };
        /**
         * UserPreferences
         * @description What a user prefers. Null brings the default back.
         */
        UserPreferences: {
            theme?: components["schemas"]["Theme"] | null;
            /** Format: name */
            locale?: string | null;
            display_font?: components["schemas"]["DisplayFont"] | null;
            home_page?: components["schemas"]["HomePageOptions"] | null;
            job_selection_layout?: components["schemas"]["JobSelectionLayout"] | null;
            work_session_tabs_order?: components["schemas"]["WorkSessionTabs"][] | null;
            /** Format: name */
            printer?: string | null;
        };
        /**
         * UserRow
         * @description A user as a list shows them.
         */
        UserRow: {
            _id?: string | null;
            _key: string;
            _rev?: string | null;
            active: boolean;
            name?: string | null;
            surname?: string | null;
            username?: string | null;
            /** @description Null for who may not change users, but for their own. */
            email?: string | null;
            /** @description Scopes, separated by blanks. */
            scope: string;
            /** @description Whether the user has an open session with a token that is still valid. */
            logged_in: boolean;
            /**
             * Format: double
             * @description Null for who may not change users, but for their own.
             */
            hourly_cost?: number | null;
            department?: components["schemas"]["Department"] | null;
            department_key?: string | null;
            site_key?: string | null;
            /** @description Complete: what the user has not set has its default. */
            preferences: components["schemas"]["UserPreferences"];
            created_at?: string | null;
            last_login?: string | null;
        };
        /**
         * UserUpdate
         * @description What changes of a user. What is absent stays; null clears `name`, `surname`, `email`, `department_key` and
         *     `hourly_cost`. Other members are refused.
         */
        UserUpdate: {
            /** Format: name */
            username?: string | null;
            /** @description Scopes, separated by blanks. */
            scope?: string | null;
            /** Format: name */
            name?: string | null;
            /** Format: name */
            surname?: string | null;
            /** Format: name */
            email?: string | null;
            /** Format: name */
            department_key?: string | null;
            /** Format: name */
            site_key?: string | null;
            /** Format: double */
            hourly_cost?: number | null;
            /** @description Merged member by member; null brings a default back. */
            preferences?: components["schemas"]["UserPreferences"] | null;
            active?: boolean | null;
            /** @description Whether the user must set a new password at the next login. */
            reset_password?: boolean | null;
            _id?: unknown;
            _key?: unknown;
            _rev?: unknown;
            created_at?: unknown;
            last_login?: unknown;
            last_user_session?: unknown;
        };
        /**
         * ValidationError
         * @description One thing that is wrong with a request.
         */
        ValidationError: {
            /** @description Where it is wrong: `query`, `path`, `body` or `header`, then names and indexes. */
            loc: unknown[];
            /** @description What is wrong. */
            msg: string;
            /** @description The kind of error. */
            type: string;
            /** @description The offending value. */
            input?: unknown;
            /** @description The bounds that were violated. */
            ctx?: unknown;
        };
        /**
         * @description How high a text stands in its field.
         * @enum {string}
         */
        VerticalAlignment: "top" | "middle" | "bottom";
        /**
         * VisualFieldSpec-Input
         * @description A field that shows a picture or a code.
         */
        "VisualFieldSpec-Input": {
            name: string;
            type: components["schemas"]["VisualFieldType"];
            position: components["schemas"]["models__print__Position"];
            /** Format: double */
            height: number;
            /** Format: double */
            width: number;
            /** Format: double */
            rotate?: number | null;
            linkType?: components["schemas"]["LinkType"] | null;
            linkValue?: string | null;
            customFieldKey?: string | null;
            extraPath?: string | null;
            templateExpression?: string | null;
            readOnly?: boolean | null;
            required?: boolean | null;
        };
        /**
         * VisualFieldSpec-Output
         * @description A field that shows a picture or a code.
         */
        "VisualFieldSpec-Output": {
            name: string;
            type: components["schemas"]["VisualFieldType"];
            position: components["schemas"]["models__print__Position"];
            /** Format: double */
            height: number;
            /** Format: double */
            width: number;
            /** Format: double */
            rotate?: number | null;
            linkType?: components["schemas"]["LinkType"] | null;
            linkValue?: string | null;
            customFieldKey?: string | null;
            extraPath?: string | null;
            templateExpression?: string | null;
            readOnly?: boolean | null;
            required?: boolean | null;
        };
        /**
         * @description What a field shows.
         * @enum {string}
         */
        VisualFieldType: "image" | "qrcode" | "ean13" | "code39" | "code128" | "gs1datamatrix" | "datamatrix" | "japanpost" | "nw7" | "itf14" | "upca" | "upce";
        /**
         * WOBomLine
         * @description A line of the bill of materials of a work order.
         */
        WOBomLine: {
            component_key: string;
            component_code?: string | null;
            component_description?: string | null;
            /**
             * Format: double
             * @description Quantity in one product.
             */
            qt: number;
            phase_key?: string | null;
            /** @description Alias of the phase. */
            phase_name?: string | null;
            consumption_options?: components["schemas"]["BomLineConsumptionOptions"] | null;
            /** @description Of the component. */
            traceability_level?: string | null;
            /** @description Whether stock of the component is kept. */
            manage_inventory?: boolean | null;
            /** @description The line of the product's bill of materials it comes from. */
            bom_line_key?: string | null;
            extra?: unknown;
        };
        /**
         * WOBomLineInput
         * @description A line of a new bill of materials.
         */
        WOBomLineInput: {
            component_key: string;
            /**
             * Format: double
             * @description Quantity in one product.
             */
            qt: number;
            /**
             * Format: name
             * @description The last phase when absent.
             */
            phase_key?: string | null;
            consumption_options?: components["schemas"]["BomLineConsumptionOptions"] | null;
            /** @description The line of the product's bill of materials it comes from. */
            bom_line_key?: string | null;
            extra?: unknown;
        };
        /**
         * WipAvailability
         * @description Free work in progress around a job.
         */
        WipAvailability: {
            job_key: string;
            /**
             * Format: double
             * @description What the phase before it has left for it.
             */
            free_wip_qt_upstream: number;
            /**
             * Format: double
             * @description What it has left for the phase behind it.
             */
            free_wip_qt_downstream: number;
        };
        /**
         * WorkOrder
         * @description A work order.
         */
        WorkOrder: {
            _id: string;
            _key: string;
            _rev: string;
            /** @description Unique. */
            wo_code?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            /** @description Keys of its phases, in order; `default` for a product without a process. */
            phase_sequence?: string[] | null;
            /** Format: double */
            qt_planned?: number | null;
            /** @description A mark for the pages. */
            priority?: boolean | null;
            project_code?: string | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            wo_bom?: components["schemas"]["WOBomLine"][] | null;
            output_position_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            notes?: string | null;
            extra?: unknown;
            status?: components["schemas"]["WorkOrderStatus"] | null;
            /** Format: double */
            qt_completed?: number | null;
            /** @description Whether somebody is at work on it. */
            active?: boolean | null;
            on_time?: boolean | null;
            critical?: boolean | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            serial_fields?: components["schemas"]["WorkOrderSerialField"][] | null;
            created?: string | null;
            start?: string | null;
            end?: string | null;
            /** Format: double */
            material_cost?: number | null;
            wo_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processing_time?: number | null;
            /** Format: double */
            processing_cost?: number | null;
        };
        /**
         * WorkOrderDocument
         * @description A document of the product at the time of the planning.
         */
        WorkOrderDocument: {
            name?: string | null;
            /** Format: int64 */
            size?: number | null;
        };
        /**
         * WorkOrderFull
         * @description A work order with its jobs.
         */
        WorkOrderFull: {
            _id: string;
            _key: string;
            _rev: string;
            /** @description Unique. */
            wo_code?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            /** @description Keys of its phases, in order; `default` for a product without a process. */
            phase_sequence?: string[] | null;
            /** Format: double */
            qt_planned?: number | null;
            /** @description A mark for the pages. */
            priority?: boolean | null;
            project_code?: string | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            wo_bom?: components["schemas"]["WOBomLine"][] | null;
            output_position_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            notes?: string | null;
            extra?: unknown;
            status?: components["schemas"]["WorkOrderStatus"] | null;
            /** Format: double */
            qt_completed?: number | null;
            /** @description Whether somebody is at work on it. */
            active?: boolean | null;
            on_time?: boolean | null;
            critical?: boolean | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            serial_fields?: components["schemas"]["WorkOrderSerialField"][] | null;
            created?: string | null;
            start?: string | null;
            end?: string | null;
            /** Format: double */
            material_cost?: number | null;
            wo_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processing_time?: number | null;
            /** Format: double */
            processing_cost?: number | null;
            /** @description In the order of the phases. */
            jobs: components["schemas"]["WorkOrderJob"][];
            /**
             * Format: double
             * @description Costs of work and material.
             */
            total_cost: number;
        };
        /**
         * WorkOrderJob
         * @description A job of a work order with what it has taken so far.
         */
        WorkOrderJob: {
            _id: string;
            _key: string;
            _rev: string;
            wo_key?: string | null;
            wo_code?: string | null;
            phase_key?: string | null;
            phase_alias?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            operation_key?: string | null;
            project_code?: string | null;
            parameters?: components["schemas"]["PhaseParameters"] | null;
            first_phase?: boolean | null;
            last_phase?: boolean | null;
            stage?: components["schemas"]["WorkOrderStatus"] | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            start?: string | null;
            end?: string | null;
            active?: boolean | null;
            critical?: boolean | null;
            /** Format: double */
            qt_planned?: number | null;
            /** Format: double */
            qt_completed?: number | null;
            /** Format: double */
            qt_released?: number | null;
            /** @description Whole steps, as they were when the order was planned, with the names of their files. */
            step_sequence?: unknown[] | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            active_batch_key?: string | null;
            /** Format: double */
            active_batch_qt?: number | null;
            /** @description Whether the next batch can begin; null on a closed job. */
            next_batch_available?: boolean | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            on_time?: boolean | null;
            last_work_session_started?: string | null;
            last_online?: string | null;
            job_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            forced?: string | null;
            notes?: string | null;
            extra?: unknown;
            trash?: boolean | null;
            assigned_to: components["schemas"]["JobAssignee"];
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processing_time: number;
            /** Format: double */
            processing_cost: number;
            /**
             * Format: int64
             * @description Issues that are linked to it.
             */
            issue_count: number;
        };
        /**
         * WorkOrderNew
         * @description A work order to be planned.
         */
        WorkOrderNew: {
            /**
             * Format: name
             * @description From the counter of work orders when absent.
             */
            wo_code?: string | null;
            /**
             * Format: name
             * @description The product; it or its code is needed.
             */
            product_key?: string | null;
            /** Format: name */
            product_code?: string | null;
            /**
             * Format: note
             * @description The product's when absent.
             */
            product_description?: string | null;
            /** @description Ignored: the process of the product tells it. */
            phase_sequence?: string[] | null;
            /** Format: double */
            qt_planned: number;
            /**
             * @description A mark for the pages.
             * @default null
             */
            priority?: boolean | null;
            /** Format: name */
            project_code?: string | null;
            /**
             * Format: date-time
             * @description A date or a time.
             */
            start_from?: string | null;
            /**
             * Format: date-time
             * @description A date or a time.
             */
            due_by?: string | null;
            /** @description The product's bill of materials when absent or empty. */
            wo_bom?: components["schemas"]["WOBomLineInput"][] | null;
            /**
             * Format: name
             * @description Where its products come to.
             */
            output_position_key?: string | null;
            /** @description Taken from the product, which must have one. */
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            /** @description Ignored: the product tells it. */
            serial_code_on_creation?: boolean | null;
            /** Format: note */
            notes?: string | null;
            extra?: unknown;
        };
        /**
         * WorkOrderRow
         * @description A work order with every member, and what it has taken so far.
         */
        WorkOrderRow: {
            _id: string;
            _key: string;
            _rev: string;
            /** @description Unique. */
            wo_code?: string | null;
            product_key?: string | null;
            product_code?: string | null;
            product_description?: string | null;
            /** @description Keys of its phases, in order; `default` for a product without a process. */
            phase_sequence?: string[] | null;
            /** Format: double */
            qt_planned?: number | null;
            /** @description A mark for the pages. */
            priority?: boolean | null;
            project_code?: string | null;
            /** @description A date or a time. */
            start_from?: string | null;
            /** @description A date or a time. */
            due_by?: string | null;
            wo_bom?: components["schemas"]["WOBomLine"][] | null;
            output_position_key?: string | null;
            traceability_level?: components["schemas"]["TraceabilityLevel"] | null;
            serial_code_on_creation?: boolean | null;
            notes?: string | null;
            extra?: unknown;
            status?: components["schemas"]["WorkOrderStatus"] | null;
            /** Format: double */
            qt_completed?: number | null;
            /** @description Whether somebody is at work on it. */
            active?: boolean | null;
            on_time?: boolean | null;
            critical?: boolean | null;
            /**
             * Format: int64
             * @description From 0 to 100.
             */
            progress?: number | null;
            serial_fields?: components["schemas"]["WorkOrderSerialField"][] | null;
            created?: string | null;
            start?: string | null;
            end?: string | null;
            /** Format: double */
            material_cost?: number | null;
            wo_docs?: components["schemas"]["WorkOrderDocument"][] | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            processing_time?: number | null;
            /** Format: double */
            processing_cost?: number | null;
            /**
             * Format: int64
             * @description Issues that are linked to it.
             */
            issue_count: number;
            /**
             * Format: double
             * @description Costs of work and material.
             */
            total_cost: number;
        };
        /**
         * WorkOrderSearchOptions
         * @description What searches for open jobs choose from.
         */
        WorkOrderSearchOptions: {
            /** @description Aliases of phases. */
            phases: components["schemas"]["SearchOption"][];
            /** @description Codes of products. */
            products: components["schemas"]["SearchOption"][];
            /** @description Codes of work orders. */
            wo_codes: components["schemas"]["SearchOption"][];
        };
        /**
         * WorkOrderSerialField
         * @description A field that serials of the order are to have.
         */
        WorkOrderSerialField: {
            form_field_key?: string | null;
            custom_field_key?: string | null;
            label?: string | null;
            hint?: string | null;
            mandatory?: boolean | null;
            phase_key?: string | null;
            step_key?: string | null;
        };
        /**
         * @description Where a work order or a job stands.
         * @enum {string}
         */
        WorkOrderStatus: "created" | "planned" | "started" | "closed";
        /**
         * WorkSession
         * @description A work session.
         */
        WorkSession: {
            _id: string;
            _key: string;
            _rev: string;
            user_session_key?: string | null;
            batch_key?: string | null;
            job_key?: string | null;
            phase_key?: string | null;
            work_order_key?: string | null;
            product_key?: string | null;
            user_key?: string | null;
            start?: string | null;
            end?: string | null;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            duration?: number | null;
            active?: boolean | null;
            /** Format: double */
            hourly_cost?: number | null;
            canceled?: string | null;
            forced?: string | null;
        };
        /**
         * @description The tabs of a work session.
         * @enum {string}
         */
        WorkSessionTabs: "jobSteps" | "jobDocs" | "jobBom" | "jobIssues" | "jobNotes" | "jobMessages" | "jobProcessView";
        /**
         * models__inventory__position__Position
         * @description A place in the warehouse.
         */
        models__inventory__position__Position: {
            _id?: string | null;
            _key?: string | null;
            _rev?: string | null;
            code?: string | null;
            /** @description Whether what lies there is ours. */
            owned?: boolean | null;
            available?: boolean | null;
            disposable?: boolean | null;
            /** @description Whether it cannot be moved itself. */
            fixed?: boolean | null;
            deleted?: boolean | null;
            /** Format: date-time */
            created?: string | null;
            allow_consumption?: boolean | null;
            /** @description Anything. */
            extra?: unknown;
        };
        /**
         * models__print__Position
         * @description Where a field stands on its page.
         */
        models__print__Position: {
            /** Format: double */
            x: number;
            /** Format: double */
            y: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    hello_hello_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reset_production_and_traceability_data_reset_prod_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reset_warehouse_data_reset_inventory_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    force_delete_work_order_data_force_delete_work_order__work_order_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                work_order_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    authenticate_user_auth_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["Body_authenticate_user_auth_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAPIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many failed attempts, open streams or queries */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    verify_user_password_user__user_key__verify_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_verify_user_password_user__user_key__verify_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many failed attempts, open streams or queries */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_current_user_whoami_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    start_user_session_session_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_start_user_session_session_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    close_user_session_session__session_key__delete: {
        parameters: {
            query?: {
                force?: boolean;
            };
            header?: never;
            path: {
                session_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_user_list_user_get: {
        parameters: {
            query?: {
                active_only?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_UserRow"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_user_user_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserNew"];
            };
        };
        responses: {
            /** @description It was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    archive_user_user__user_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_user_user__user_key__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_UserRow"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_user_image_user__user_key__image_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_update_user_image_user__user_key__image_put"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reset_user_password_user__user_key__password_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_reset_user_password_user__user_key__password_put"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many failed attempts, open streams or queries */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_user_password_user__user_key__password_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_department_list_department_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_Department"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_department_department_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentNew"];
            };
        };
        responses: {
            /** @description It was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_Department"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_department_department__department_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                department_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_Department"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_department_department__department_key__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                department_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepartmentUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_Department"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_api_token_api_token_get: {
        parameters: {
            query?: {
                token_description?: string;
                token_expiration?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAPIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_api_token_api_token_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiTokenNew"];
            };
        };
        responses: {
            /** @description It was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAPIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_user_api_tokens_user_api_tokens_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRecord"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    revoke_token_api_token__token_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_config_config_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_config_config_patch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_config_file_config__key__file_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "multipart/form-data": components["schemas"]["Body_update_config_file_config__key__file_put"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_custom_data_custom_data_get: {
        parameters: {
            query?: {
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomData"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_custom_data_custom_data__key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description The revision, for `If-Match` of a change */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomData"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    upsert_custom_data_custom_data__key__put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomData"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_custom_data_custom_data__key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_product_list_product_get: {
        parameters: {
            query?: {
                search_string?: string;
                search?: string;
                search_description?: boolean;
                tag_key?: string;
                include_text?: string;
                exclude_text?: string;
                include_tags?: string[];
                exclude_tags?: string[];
                include_tags_operator?: components["schemas"]["TagOperator"];
                exclude_tags_operator?: components["schemas"]["TagOperator"];
                has_operation_key?: string;
                active_only?: boolean;
                traceability_only?: boolean;
                details?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["ProductDetails"] | components["schemas"]["ProductBaseData"])[];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_product_product_post: {
        parameters: {
            query?: {
                serial_code_on_creation?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_create_product_product_post"];
            };
        };
        responses: {
            /** @description The product was created; `detail` is what is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_products_product_search_get: {
        parameters: {
            query?: {
                text_to_include?: string;
                text_to_exclude?: string;
                tags_to_include?: string;
                tags_to_exclude?: string;
                include_tags_operator?: components["schemas"]["Operator"];
                exclude_tags_operator?: components["schemas"]["Operator"];
                has_operation_key?: string;
                global_operator?: components["schemas"]["Operator"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductBaseData"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    copy_product_product_copy_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_copy_product_product_copy_post"];
            };
        };
        responses: {
            /** @description The copy was made; `detail.new_product_key` names it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_product_data_product__product_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description The revision, for `If-Match` of a change */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductFull"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    replace_product_product__product_key__put: {
        parameters: {
            query?: never;
            header?: {
                if_match?: string;
            };
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProductDetails"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_product_product__product_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    udpate_product_product__product_key__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProductUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    save_doc_product__product_key__doc_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_save_doc_product__product_key__doc_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_doc_product__product_key__doc__doc_name__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
                doc_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    replace_product_image_product__product_key__image_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_replace_product_image_product__product_key__image_put"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    replace_product_image_product__product_key__image_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_product_stats_product__product_key__stats_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductStats"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    export_products_product_export_get: {
        parameters: {
            query?: {
                format?: components["schemas"]["ProductExportFormat"];
                search_string?: string;
                search?: string;
                search_description?: boolean;
                tag_key?: string;
                include_text?: string;
                exclude_text?: string;
                include_tags?: string[];
                exclude_tags?: string[];
                include_tags_operator?: components["schemas"]["TagOperator"];
                exclude_tags_operator?: components["schemas"]["TagOperator"];
                has_operation_key?: string;
                active_only?: boolean;
                traceability_only?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    import_products_product_import_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_import_products_product_import_post"];
            };
        };
        responses: {
            /** @description What the dry run found right, a workbook of what it found wrong, or what was imported */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductImportValidation"] | components["schemas"]["APIResponse"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_product_bom_product__product_key__bom_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key_or_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description The revision, for `If-Match` of a change */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BomLineRead"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_bom_product__product_key_or_code__bom_put: {
        parameters: {
            query?: {
                by_code?: boolean;
            };
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                product_key_or_code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BomLineWriteIn"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_operation_list_operation_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRow"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_operation_operation_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Operation"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_operation_operation__operation_key__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_operation_operation__op_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                op_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    copy_operation_to_phases_operation__operation_key__copy_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Targets"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_production_process_product__product_key__process_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description The revision, for `If-Match` of a change */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhaseData-Output"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_process_product__product_key__process_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhaseData-Input"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhaseData-Output"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    copy_process_to_products_product__product_key__process_copy_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Targets"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    copy_process_to_products_product__product_key__counter_copy_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Targets"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_process_tasks_product__product_key__process_tasks_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    }[];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_process_tasks_product__product_key__process_tasks_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                product_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProcessTask"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_phase_data_phase_get: {
        parameters: {
            query: {
                phase_key: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhaseRecord"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_phase_procedure_procedure__phase_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                phase_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcedureStep"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_step_media_step__step_key__media_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                step_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    save_step_media_step__step_key__media_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                step_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_save_step_media_step__step_key__media_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_step_media_step__step_key__media__filename__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                step_key: string;
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_media_media_create_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_create_media_media_create_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_media_media__media_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                media_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_media_media__media_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                media_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_media_media__media_key__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                media_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_update_media_media__media_key__patch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    upload_files_files_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_upload_files_files_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_files_files_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_delete_files_files_delete"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    fetch_field_field_get: {
        parameters: {
            query?: {
                name?: string;
                key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomField"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_field_field_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomField"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    replace_field_metadata_field__field_key__put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                field_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomField"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_field_field__field_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                field_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    fetch_custom_list_values_list_get: {
        parameters: {
            query: {
                field_key: string;
                limit?: number;
                search?: string;
                sort_by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomListValue"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_or_update_custom_list_values_list__field_key__post: {
        parameters: {
            query?: {
                reset?: boolean;
            };
            header?: never;
            path: {
                field_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomListValue"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_custom_list_value_list__field_key__delete: {
        parameters: {
            query: {
                value_key: string[];
            };
            header?: never;
            path: {
                field_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    find_print_templates_print_template_get: {
        parameters: {
            query?: {
                context?: components["schemas"]["TemplateAssignmentContext"];
                context_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintTemplateRecord-Output"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_print_template_print_template_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrintTemplateRecord-Input"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_print_template_print_template_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrintTemplateRecord-Input"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_print_template_details_print_template__template_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description The revision, for `If-Match` of a change */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintTemplateRecord-Output"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_print_template_print_template__template_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_template_assignments_update_template_assignments_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateAssignmentUpdate"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_print_job_print_job_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrintJobRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintJobResult"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    fetch_field_serial_field_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialField"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_batch_serial_batch_get: {
        parameters: {
            query?: {
                batch_key?: string;
                filter_empty?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchSerial"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_batch_component_batch_get: {
        parameters: {
            query?: {
                batch_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialRecord"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_wip_wip_serial_get: {
        parameters: {
            query?: {
                wo_key?: string;
                job_key?: string;
                phase_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialSelection"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_parents_serial_parents_get: {
        parameters: {
            query?: {
                serial_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialParent"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_children_serial_children_get: {
        parameters: {
            query?: {
                serial_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialChild"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_hierarchy_serial_hierarchy_get: {
        parameters: {
            query: {
                serial_key: string;
                include_expected_components?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialTreeNode"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_selection_serial_selection_get: {
        parameters: {
            query?: {
                search?: string;
                wo_key?: string;
                product_key?: string;
                batch_key?: string;
                free_only?: boolean;
                inventory_only?: boolean;
                inventory_in_position_key?: string;
                include_unreleased?: boolean;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelectableSerial"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_from_key_serial__serial_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serial_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialRecord"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_from_code_serial_code_get: {
        parameters: {
            query?: {
                serial_code?: string;
                product_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialRecord"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    verify_serial_code_free_serial_code_verify_free_get: {
        parameters: {
            query?: {
                serial_code?: string;
                product_key?: string;
                serial_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_serials_serial_get: {
        parameters: {
            query?: {
                serial_key?: string[];
                serial_search?: string;
                is_contained_in?: string;
                contains?: string;
                time_created_from?: string;
                time_created_to?: string;
                created_by?: string[];
                advanced_filters?: string;
                product_key?: string[];
                product_code_search?: string;
                work_order_search?: string;
                project_search?: string;
                limit?: number;
                include_deleted?: boolean;
                offset?: number;
                filter_unreleased?: boolean;
                time_released_from?: string;
                time_released_to?: string;
                sort_by?: string;
                sorting_order?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialSearchResult"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_serial_where_used_serial__serial_key__where_used_get: {
        parameters: {
            query?: {
                top_level_only?: boolean;
                include_replaced?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                serial_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialUse"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_where_used_where_used_get: {
        parameters: {
            query?: {
                product_key?: string;
                code?: string;
                top_level_only?: boolean;
                include_replaced?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialUse"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_device_history_record_serial__serial_key__dhr_get: {
        parameters: {
            query?: {
                include_attachments?: boolean;
                include_children?: boolean;
                include_step_data?: boolean;
            };
            header?: never;
            path: {
                serial_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_tags_tag_get: {
        parameters: {
            query?: {
                context?: components["schemas"]["TagAssignmentContext"];
                context_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_Tag__"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_tag_tag_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Tag"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_Tag_"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    connect_tags_tag_update_connections_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagConnectionUpdate"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_NoneType_"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_issue_type_issue_type_get: {
        parameters: {
            query?: {
                key?: string;
                code?: string;
                critical?: boolean;
                active_only?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueTypeFull"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_issue_type_issue_type_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueType"];
            };
        };
        responses: {
            /** @description The issue type was created; `detail` is what is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_issue_type_issue_type__issue_type_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                issue_type_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_issue_type_issue_type__issue_type_key__patch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                issue_type_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueTypeUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_issues_issue_get: {
        parameters: {
            query?: {
                issue_key?: string[];
                issue_key_search?: string;
                issue_type_key?: string[];
                product_key?: string[];
                product_code_search?: string;
                work_order_key?: string[];
                work_order_code_search?: string;
                serial_search?: string;
                project_search?: string;
                job_key?: string[];
                phase_key?: string[];
                phase_alias_search?: string;
                operation_key?: string[];
                created_by?: string[];
                closed_by?: string[];
                time_created_from?: string;
                time_created_to?: string;
                time_closed_from?: string;
                time_closed_to?: string;
                issue_open?: boolean;
                issue_closed?: boolean;
                issue_critical?: boolean;
                issue_non_critical?: boolean;
                advanced_filters?: string;
                limit?: number;
                offset?: number;
                with_links?: boolean;
                sort_by?: string;
                sorting_order?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueSearchResult"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_messages_message_get: {
        parameters: {
            query: {
                recipient_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_tasks_task_get: {
        parameters: {
            query?: {
                search?: string;
                task_type_key?: string;
                status_pending?: boolean;
                status_open?: boolean;
                status_completed?: boolean;
                status_canceled?: boolean;
                owner_key?: string;
                assigned_to?: string[];
                start_from_min?: string;
                start_from_max?: string;
                due_by_min?: string;
                due_by_max?: string;
                created_min?: string;
                created_max?: string;
                closed_min?: string;
                closed_max?: string;
                advanced_filters?: string;
                issue_key?: string;
                work_order_key?: string;
                product_key?: string;
                serial_key?: string;
                linked_task_key?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSearchResult"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_task_data_task__task_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetails"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_task_types_task_type_get: {
        parameters: {
            query?: {
                active_only?: boolean;
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskTypeFull"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_task_type_task_type_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskType"];
            };
        };
        responses: {
            /** @description The task type as it is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskType"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_task_type_task_type__type_key__put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                type_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskTypeUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_task_type_task_type__type_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_positions_position_get: {
        parameters: {
            query?: {
                search?: string;
                position_keys?: string[];
                has_product_key?: string[];
                has_product_code?: string[];
                is_in_position?: string;
                contains_position?: string;
                fixed_only?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["models__inventory__position__Position"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_position_position_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PositionNew"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_position_details_position__position_key__get: {
        parameters: {
            query?: {
                search?: string;
            };
            header?: never;
            path: {
                position_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    /** @description The revision, for `If-Match` of a change */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PositionDetails"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_position_position__position_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                position_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_position_position__positions_key__patch: {
        parameters: {
            query?: {
                position_key?: string;
                parent_position_key?: string;
            };
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                position_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_position_hierarchy_position_hierarchy_get: {
        parameters: {
            query?: {
                position_key?: string;
                fixed_only?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PositionTreeNode"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_inventory_journal_movement_get: {
        parameters: {
            query?: {
                movement_type?: components["schemas"]["InventoryMovementType"];
                movement_status?: components["schemas"]["MovementStatus"];
                include_planned?: boolean;
                include_completed?: boolean;
                start_from?: string;
                start_to?: string;
                end_from?: string;
                end_to?: string;
                product_key?: string;
                product_search?: string;
                serial_keys?: string[];
                serial_search?: string;
                list_key?: string[];
                list_search?: string;
                work_order_search?: string;
                position_from?: string;
                position_to?: string;
                position_filter_operator?: components["schemas"]["FilterOperator"];
                limit?: number;
                offset?: number;
                search_graph?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryMovementSearchResults"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_movement_lists_movement_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MovementListSearch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovementListWithCounts"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_recent_movement_positions_movement_latest_positions_get: {
        parameters: {
            query?: {
                user_key?: string;
                position_type?: components["schemas"]["PositionType"];
                movement_type?: components["schemas"]["InventoryMovementType"];
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["models__inventory__position__Position"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_recent_movement_products_movement_latest_products_get: {
        parameters: {
            query?: {
                user_key?: string;
                type?: components["schemas"]["InventoryMovementType"];
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductBaseData"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_movement_lists_movement_list_get: {
        parameters: {
            query?: {
                search?: string;
                list_key?: string[];
                includes_product_key?: string;
                includes_product_code?: string;
                due_by_min?: string;
                due_by_max?: string;
                status?: components["schemas"]["MovementStatus"][];
                type?: components["schemas"]["InventoryMovementType"];
                open_only?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Body_search_movement_lists_movement_list_get"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovementListWithCounts"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_movement_list_movement_list_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MovementListNew"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_inventory_inventory_get: {
        parameters: {
            query?: {
                root_position_key?: string;
                product_key?: string;
                product_search?: string;
                serials_only?: boolean;
                serial_search?: string;
                serial_keys?: string[];
                position_search?: string;
                position_key?: string;
                owned?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventorySearchResult"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_counting_sessions_inventory_count_session_get: {
        parameters: {
            query?: {
                search?: string;
                status?: components["schemas"]["InventoryCountSessionStatus"];
                type?: components["schemas"]["InventoryCountSessionType"];
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryCountSession"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_counting_session_inventory_count_session_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_create_counting_session_inventory_count_session_post"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_counting_session_inventory_count_session_delete: {
        parameters: {
            query: {
                counting_session_key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_counting_session_inventory_count_session__session_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryCountSessionDetails"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_counting_session_inventory_count_session__session_key__put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryCountSessionUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_counting_session_processed_records_inventory_count_session__session_key__processed_records_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": number;
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_session_completed_positions_inventory_count_session__session_key__completed_positions_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_counting_assignment_inventory_count_assignment_get: {
        parameters: {
            query?: {
                inventory_count_session_key?: string;
                assignment_type?: components["schemas"]["InventoryCountSessionType"];
                product_key?: string;
                product_search?: string;
                position_key?: string;
                position_search?: string;
                assigned_to?: string;
                status?: components["schemas"]["InventoryCountAssignmentStatus"];
                order_by?: components["schemas"]["InventoryCountAssignmentOrder"];
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryCountAssignment"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_counting_assignments_inventory_count_assignment_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryCountAssignment"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_counting_assignments_inventory_count_assignment_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_delete_counting_assignments_inventory_count_assignment_delete"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_counting_record_inventory_count_record_get: {
        parameters: {
            query?: {
                count_session_key?: string;
                user_key?: string;
                assignment_key?: string;
                product_key?: string;
                position_key?: string;
                include_started?: boolean;
                include_completed?: boolean;
                include_discarded?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryCountRecord"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_count_position_status_inventory_count_position_status_get: {
        parameters: {
            query: {
                session_key: string;
                parent_key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    import_count_records_inventory_count_record_import_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_import_count_records_inventory_count_record_import_post"];
            };
        };
        responses: {
            /** @description What the dry run found right, a workbook of what it found wrong, or what was imported */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountImportValidation"] | components["schemas"]["APIResponse"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The upload is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    fetch_counter_counter_get: {
        parameters: {
            query?: {
                name?: string;
                key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Counter"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_counter_counter_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Counter"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    replace_field_metadata_counter__counter_key__put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision that was read, as `_rev` or `ETag` told it */
                "If-Match"?: string;
            };
            path: {
                counter_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Counter"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Another revision is stored by now; nothing was changed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_field_counter__counter_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                counter_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_events_event_get: {
        parameters: {
            query?: {
                issue_key?: string;
                serial_key?: string;
                job_key?: string;
                work_order_key?: string;
                task_key?: string;
                batch_key?: string;
                product_key?: string;
                user_key?: string;
                event_group?: string;
                time_from?: string;
                time_to?: string;
                context_type?: components["schemas"]["EventContextType"];
                context_key?: string;
                type?: components["schemas"]["EventType"][];
                primary?: boolean;
                order?: components["schemas"]["Order"];
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRow"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    record_event_event_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventInfoModel"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 2 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    record_events_bulk_event_bulk_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkEventRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_work_orders_work_order_get: {
        parameters: {
            query?: {
                search?: string;
                open?: boolean;
                closed?: boolean;
                limit?: number;
                offset?: number;
                time_start_from?: string;
                time_start_to?: string;
                time_end_from?: string;
                time_end_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkOrderRow"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_work_order_work_order_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkOrderNew"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_NewWorkOrder"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_work_orders_work_order_search_opts_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkOrderSearchOptions"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_wo_data_work_order__wo_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wo_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_WorkOrderFull"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_work_order_work_order__wo_key__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wo_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_work_order_work_order__wo_key__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wo_key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Body_update_work_order_work_order__wo_key__patch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_WorkOrder"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_wo_traceability_data_work_order__wo_key__traceability_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wo_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_TraceabilityRow"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_work_order_quantities_work_order__wo_key__update_quantities_patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wo_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Body_update_work_order_quantities_work_order__wo_key__update_quantities_patch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_WorkOrder"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_job_list_job_get: {
        parameters: {
            query?: {
                job_key?: string[];
                work_order_key?: string[];
                phase_key?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_JobRow"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_job_data_job__job_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_JobData"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_job_elapsed_time_job__job_key__time_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_number_double"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_active_work_session_for_job_work_session_get: {
        parameters: {
            query: {
                job_key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_WorkSession"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    job_heartbeat_job__job_key__heartbeat_post: {
        parameters: {
            query?: {
                /** @description Ignored. */
                work_session_key?: string;
            };
            header?: never;
            path: {
                job_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_Heartbeat"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_jobs_job_update_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobUpdate"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_Job"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 16 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_assignment_list_job_assignment_get: {
        parameters: {
            query?: {
                user_key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_JobAssignments"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_site_queue_queue_site__site_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                site_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_list_QueuedWorkOrder"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_queue_queue_put: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Queue"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    update_operator_queue_queue_operator__operator_key__put: {
        parameters: {
            query?: {
                site_key?: string;
            };
            header?: never;
            path: {
                operator_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorQueueUpdateInput"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_Queue"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_batch_execution_data_batch__batch_key__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_BatchExecution"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_batch_serials_batch__batch_key__serials_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SerialSelection"][];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_wip_availability_for_job_wip_get: {
        parameters: {
            query: {
                job_key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WipAvailability"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    store_temp_step_data_batch_temp_data_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutionDataUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse_StoredStepData"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    create_temporary_link_batch__batch_key__serial_temp_links_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SerialLink"][];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["APIResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error, or a text that says which rule is broken */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    mint_ticket_notification_ticket_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SseTicketRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SseTicketResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    message_stream_notification__topic__get: {
        parameters: {
            query?: {
                /** @description A ticket in place of the header. */
                ticket?: string;
                /** @description The last id, where a client cannot send the header. */
                last_event_id?: string;
            };
            header?: {
                /** @description The last id that the client has got. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description What the stream is about. */
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ServerSentEvent"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many failed attempts, open streams or queries */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_scopes_explore_scopes_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorerScopes"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    search_codes_explore_search_get: {
        parameters: {
            query?: {
                q?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorerHits"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    recall_units_explore_recall_get: {
        parameters: {
            query?: {
                serial_key?: string;
                code?: string;
                batch?: string;
                product_key?: string;
                from?: string;
                to?: string;
                include_replaced?: boolean;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallAnswer"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    run_aql_aql_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AqlQuestion"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AqlAnswer"];
                };
            };
            /** @description The request breaks a rule of the operation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description It exists already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The query was ended before its end */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body has more than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Too many failed attempts, open streams or queries */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    stop_aql_aql__query_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                query_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AqlStopped"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_aql_schema_aql_schema_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AqlSchema"];
                };
            };
            /** @description The token is missing or not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The token lacks the scope, or the change is not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unexpected error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The database cannot be reached; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
}
